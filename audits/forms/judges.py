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
MOST = 2_000_000_000  # that every database's integer holds
FIELDS = (
    "vendor", "model", "base_url", "price_in", "price_out", "price_cache_read", "price_cache_write", "concurrency",
    "rpm", "tpm", "context_tokens",
)  # fmt: skip


def plain(value: Any) -> Any:
    """A stored price without the zeros that the column pads it with; anything else as it is."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def vendor_choices() -> list[tuple[str, str]]:
    """Vendors that a person can add a judge of; offline judges are there already."""
    return [(key, vendor.label) for key, vendor in VENDORS.items() if not vendor.offline]


def _price(label: Any, help_text: Any, placeholder: Any = "") -> forms.DecimalField:
    """US dollars per million tokens; None when left empty."""
    return forms.DecimalField(
        label=label,
        min_value=FREE,
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"placeholder": placeholder} if placeholder else {}),
    )


def _limit(label: Any, help_text: Any, least: int = 1) -> forms.IntegerField:
    """A whole number; None when left empty."""
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=MOST,
        required=False,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"placeholder": _("no limit of ours") if least == 1 else "200000"}),
    )


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
    price_in = _price(
        _("Price of input"),
        _("US dollars per million tokens. Left empty, costs are said to be unknown; 0 is a price."),
    )
    price_out = _price(
        _("Price of output"), _("US dollars per million tokens. Left empty, costs are said to be unknown.")
    )
    price_cache_read = _price(
        _("Price of input read from the cache"),
        _("Left empty: a tenth of the price of input at Anthropic, the price of input elsewhere."),
        _("as documented"),
    )
    price_cache_write = _price(
        _("Price of input written to the cache"),
        _("Left empty: 1.25 times the price of input at Anthropic, the price of input elsewhere."),
        _("as documented"),
    )
    concurrency = forms.IntegerField(
        label=_("Calls at a time"),
        min_value=1,
        max_value=64,
        initial=8,
        help_text=_(
            "At most; fewer are made by themselves while the vendor answers that there are too many, or slows down."
        ),
    )
    rpm = _limit(
        _("Requests per minute"),
        _("As your account allows, for all audits together. Left empty, only the vendor's answers limit."),
    )
    tpm = _limit(_("Tokens per minute"), _("Input and output together. Left empty, only the vendor's answers limit."))
    context_tokens = _limit(
        _("Context window in tokens"),
        _("Contexts that do not fit are judged part by part. Left empty, 100,000 tokens are taken to fit."),
        least=4_000,
    )

    def __init__(self, *args: Any, project: Project, judge: Judge | None = None, **kwargs: Any) -> None:
        self.project, self.judge = project, judge
        if judge is not None:
            kwargs["initial"] = {name: plain(getattr(judge, name)) for name in FIELDS}
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
