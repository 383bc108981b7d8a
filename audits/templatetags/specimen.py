"""The notice that a result comes from the offline judges, with how often they are right."""

from typing import Any

from django import template

from audits.judges.offline_accuracy import measured

register = template.Library()


@register.inclusion_tag("audits/specimen.html")
def specimen_notice(project: Any, short: bool = False) -> dict[str, Any]:
    """`{% specimen_notice project short %}`: on every page that shows a result of the offline judges."""
    return {"project": project, "accuracy": measured(), "short": short}
