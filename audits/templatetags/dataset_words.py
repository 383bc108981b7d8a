"""Words for what a dataset's rows carry: {% load dataset_words %}. Codes are those of audits.formats."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from audits.formats.oddities import FLAGS
from audits.formats.wording import CONTRADICTED, MISSING, NOT_SUPPORTED, SUPPORTED, UNCERTAIN, UNVERIFIED
from audits.templatetags.labelling import WORDS

register = template.Library()

FLAG_WORDS: dict[str, Promise] = {
    "no_question": _("no question"),
    "no_answer": _("no answer"),
    "no_context": _("no context"),
    "duplicate_id": _("identifier twice"),
    "duplicate_row": _("row twice"),
    "nan": _("NaN read as empty"),
    "spreadsheet_error": _("spreadsheet error read as empty"),
    "cut_text": _("text probably cut off"),
    "nul_removed": _("NUL characters removed"),
    "hidden_text": _("hidden characters"),
    "table_split": _("table probably split"),
    "odd_timestamp": _("time unclear"),
    "unknown_label": _("label without a meaning"),
}
LABEL_WORDS: dict[str, Promise] = {
    SUPPORTED: WORDS["supported"],
    CONTRADICTED: WORDS["contradicted"],
    UNVERIFIED: WORDS["unverified"],
    NOT_SUPPORTED: _("not supported, not said which"),
    UNCERTAIN: _("uncertain"),
    MISSING: _("no label"),
}
ROLE_WORDS: dict[str, Promise] = {
    "question": _("Question"),
    "answer": _("Answer"),
    "contexts": _("Contexts"),
    "id": _("Identifier"),
    "reference": _("Reference answer"),
    "generator": _("Generator model"),
    "timestamp": _("Time of the answer"),
    "tags": _("Tags"),
    "label": _("Human label of the answer"),
    "claims": _("Claims with human labels"),
    "claim_label": _("Human labels of the claims"),
}


@register.filter
def row_flag(code: str) -> str:
    """What is odd about a row, in two or three words; an unknown code as it is."""
    return str(FLAG_WORDS.get(code, code))


@register.filter
def row_flag_sentence(code: str) -> str:
    """The same as a sentence."""
    return _t(FLAGS[code]) if code in FLAGS else code


@register.filter
def given_label_word(code: str) -> str:
    """What a human's label means; an unknown code as it is."""
    return str(LABEL_WORDS.get(code, code))
