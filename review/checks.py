"""One line of what stands between an audit and its certificate."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from audits.models import Audit

OPEN, BLOCKS, DONE, NOTE = "open", "blocks", "done", "note"


@dataclass(frozen=True)
class Check:
    """One line of the list.

    state: "open" must be settled before anything is issued; "blocks": a certificate can be issued, and can only say
    INSUFFICIENT EVIDENCE; "done"; "note" forbids nothing but is printed. action, url: the quickest way to what is
    missing.
    """

    code: str
    state: str
    text: str
    url: str = ""
    action: str = ""


def page_of(name: str, audit: Audit, with_pk: bool = True) -> str:
    """The address of a page about this audit; "" where that part of the site is absent."""
    try:
        return reverse(name, args=(audit.project.slug, audit.pk) if with_pk else (audit.project.slug,))
    except NoReverseMatch:
        return ""
