"""The form of a comment on a claim."""

from django import forms
from django.utils.translation import gettext_lazy as _

from review.comments import TEXT_LIMIT


class CommentForm(forms.Form):
    """The text; @username names somebody."""

    text = forms.CharField(
        label=_("Comment"),
        max_length=TEXT_LIMIT,
        help_text=_("Write @username to tell somebody of the project."),
        widget=forms.Textarea(attrs={"rows": 3, "id": "comment-text"}),
        error_messages={"required": _("The comment is empty. Nothing was saved.")},
    )
