"""Forms of projects and their members."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.utils.translation import gettext_lazy as _

from audits.models import Project, Role


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(label=_("Name"), max_length=200)
    client = forms.CharField(
        label=_("Client"),
        max_length=200,
        required=False,
        help_text=_("Who will read the certificate. It is printed there."),
    )
    system = forms.CharField(
        label=_("Audited system"),
        max_length=200,
        required=False,
        help_text=_("The RAG system whose answers are audited. It is printed on the certificate."),
    )
    slug = forms.SlugField(
        label=_("Address of its pages"),
        max_length=80,
        required=False,
        help_text=_("Letters, digits and hyphens. Left empty, it is made from the name."),
    )

    def clean_slug(self) -> str:
        """Each address once; "new" is the page for new projects."""
        slug: str = self.cleaned_data["slug"]
        if slug == "new" or Project.objects.filter(slug=slug).exists():
            raise forms.ValidationError(_("This address is taken. Choose another one."))
        return slug


class MemberForm(forms.Form):
    """Give an existing person a role. Cleans `username` into that person."""

    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)

    def clean_username(self) -> Any:
        """The active person of this name."""
        username = self.cleaned_data["username"].strip()
        person = get_user_model().objects.filter(username=username, is_active=True).first()
        if person is None:
            raise forms.ValidationError(
                _("Nobody has this username. Nothing was changed. An administrator can create the account first.")
            )
        return person
