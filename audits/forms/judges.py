"""The form of a judge. Its key goes in and never comes out again."""

import os
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext_lazy as _

from audits.judges import VENDORS
from audits.models import Judge, Project

FREE = Decimal(0)


def plain(value: Any) -> Any:
    """A stored price without the zeros that the column pads it with; anything else as it is."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def vendor_choices() -> list[tuple[str, str]]:
    """Vendors that a person can add a judge of; offline judges are there already."""
    return [(key, vendor.label) for key, vendor in VENDORS.items() if not vendor.offline]


class JudgeForm(forms.Form):
    """A new judge of a project, or new values for one. The vendor and model of a judge in use stay."""

    vendor = forms.ChoiceField(label=_("Vendor"), choices=vendor_choices)
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("The name that the vendor gives it, with its version or date where there is one."),
    )
    base_url = forms.CharField(
        label=_("Base URL"),
        max_length=200,
        required=False,
        help_text=_("Only for a gateway or a model of your own: begins with http:// or https://. Needs its own key."),
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://", "spellcheck": "false"}),
    )
    api_key = forms.CharField(
        label=_("API key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    price_in = forms.DecimalField(
        label=_("Price of input"),
        min_value=FREE,
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=_("US dollars per million tokens. Left empty, costs are said to be unknown."),
    )
    price_out = forms.DecimalField(
        label=_("Price of output"),
        min_value=FREE,
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=_("US dollars per million tokens. Left empty, costs are said to be unknown."),
    )
    concurrency = forms.IntegerField(
        label=_("Calls at a time"),
        min_value=1,
        max_value=64,
        initial=8,
        help_text=_("Fewer when the vendor answers that there are too many requests."),
    )

    def __init__(self, *args: Any, project: Project, judge: Judge | None = None, **kwargs: Any) -> None:
        self.project, self.judge = project, judge
        if judge is not None:
            names = ("vendor", "model", "base_url", "price_in", "price_out", "concurrency")
            kwargs["initial"] = {name: plain(getattr(judge, name)) for name in names}
        super().__init__(*args, **kwargs)
        self.fields["api_key"].help_text = self._about_key()
        if judge is not None and judge.used:
            for name in ("vendor", "model"):
                self.fields[name].disabled = True
                self.fields[name].help_text = _("Stays as it is: an audit has used this judge.")

    def _about_key(self) -> Any:
        if self.judge is not None and self.judge.key_encrypted:
            return _("A key is stored and never shown again. Leave this empty to keep it.")
        return _("Stored encrypted and never shown again. Left empty, the key of the server's environment is used.")

    def clean_base_url(self) -> str:
        """An address over HTTP without user name, query or fragment."""
        url: str = self.cleaned_data["base_url"].strip().rstrip("/")
        if url and not _is_base_url(url):
            raise forms.ValidationError(
                _("This address cannot be called. An address begins with http:// or https:// and holds no password.")
            )
        return url

    def clean(self) -> dict[str, Any]:
        """No key may travel to an address that it was not entered for, and no judge is there twice."""
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        if self._key_would_travel(data):
            self.add_error(
                "api_key", _("Enter the key for this address. Keys are never sent to an address they are not for.")
            )
        twins = Judge.objects.filter(project=self.judge.project if self.judge else self.project)
        same = twins.filter(vendor=data["vendor"], model=data["model"], base_url=data["base_url"])
        if (same.exclude(pk=self.judge.pk) if self.judge else same).exists():
            self.add_error("model", _("This judge is in the list already."))
        return data

    def _key_would_travel(self, data: dict[str, Any]) -> bool:
        if data["api_key"]:
            return False
        if self.judge is not None and self.judge.key_encrypted:
            return bool((data["vendor"], data["base_url"]) != (self.judge.vendor, self.judge.base_url))
        # Without a key of its own the judge would take the environment's, which is for the vendor's address alone.
        vendor = VENDORS[data["vendor"]]
        return bool(data["base_url"]) and (vendor.key_required or bool(os.environ.get(vendor.key_env)))


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_password = parts.username is not None or parts.password is not None
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and not has_password
            and parts.port != 0
            and (not parts.query and not parts.fragment and not any(c.isspace() for c in url))
        )
    except ValueError:
        return False
