"""Changing the acceptance rule of an audit."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from audits.access import audit_for
from audits.forms.rule import RuleForm, rule_initial, rule_of
from audits.models import Role
from audits.pipeline.ruling import RuleError, change_rule
from audits.planning import Outlook


@require_http_methods(["GET", "HEAD", "POST"])
def audit_rule(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The rule, another one and the reason; after the first label with what that costs."""
    audit = audit_for(request, slug, pk, Role.MANAGER)
    labelled = audit.labelled_at is not None
    refusal = ""
    if request.method == "POST":
        form = RuleForm(request.POST, labelled=labelled)
        if form.is_valid():
            try:
                changed = change_rule(
                    audit,
                    request.user,
                    rule_of(form.cleaned_data),
                    form.cleaned_data["reason"],
                    knows_labelled=labelled,
                )
            except RuleError as error:
                refusal = _refusal(error)
                if error.code == "labelled":  # the form asks for the confirmation now
                    labelled = True
                    form = RuleForm(request.POST, labelled=True)
            else:
                _say(request, changed, labelled)
                return redirect("audit", slug, pk)
    else:
        form = RuleForm(initial=rule_initial(audit), labelled=labelled)
    context = {
        "project": audit.project,
        "audit": audit,
        "form": form,
        "labelled": labelled,
        "refusal": refusal,
        "plan": Outlook.from_stored(audit.plan),
    }
    return render(request, "audits/audit_rule.html", context, status=422 if request.method == "POST" else 200)


def _say(request: HttpRequest, changed: bool, labelled: bool) -> None:
    if not changed:
        messages.info(request, _("Nothing was changed: this is the rule already."))
    elif labelled:
        messages.success(request, _("The rule is changed and recorded. This audit cannot pass any more."))
    else:
        messages.success(request, _("The rule is changed and recorded, and the plan is made anew."))


def _refusal(error: RuleError) -> str:
    words: dict[str, Any] = {
        "cancelled": _("This audit was cancelled. Its rule stays as it was."),
        "certified": _(
            "A valid certificate rests on this rule, so it stays as it was. Revoke the certificate first."
        ),
        "no_reason": _("Give the reason. The rule stays as it was."),
        "labelled": _(
            "Meanwhile an expert has given the first label. The rule stays as it was; read what a change means now."
        ),
    }
    return str(words[error.code])
