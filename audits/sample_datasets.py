"""The product's own datasets, to try it with: one file per field and language, written for it, with known labels."""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

FOLDER = Path(__file__).resolve().parent / "samples"
DOMAINS = {
    "finance": gettext_noop("Finance"),
    "law": gettext_noop("Law"),
    "medicine": gettext_noop("Medicine"),
    "support": gettext_noop("Customer support"),
}
LANGUAGES = {"en": gettext_noop("English"), "zh": gettext_noop("Chinese")}


@dataclass(frozen=True)
class SampleDataset:
    """One file. key: names it in addresses, such as "law.zh"."""

    path: Path
    domain: str
    language: str

    @property
    def key(self) -> str:
        """The file's name without its ending."""
        return f"{self.domain}.{self.language}"

    @property
    def domain_word(self) -> str:
        """The field in words, translated."""
        return _(DOMAINS.get(self.domain, self.domain))

    @property
    def language_word(self) -> str:
        """The language in words, translated."""
        return _(LANGUAGES[self.language])

    @property
    def name(self) -> str:
        """What a dataset made of it is called, in the language of the page."""
        return _("Sample: %(domain)s (%(language)s)") % {"domain": self.domain_word, "language": self.language_word}

    @cached_property
    def sha256(self) -> str:
        """Of the file's bytes, as a dataset made of it has it."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @cached_property
    def answers(self) -> int:
        """How many answers it holds."""
        with self.path.open(encoding="utf-8") as file:
            return sum(bool(line.strip()) for line in file)


@lru_cache
def sample_datasets() -> tuple[SampleDataset, ...]:
    """All of them, by field, then by language; what is no FIELD.LANGUAGE.jsonl is not among them."""
    found = []
    for path in sorted(FOLDER.glob("*.*.jsonl")):
        domain, language = path.name.split(".")[:2]
        if language in LANGUAGES:
            found.append(SampleDataset(path, domain, language))
    return tuple(found)


def sample_dataset(key: str) -> SampleDataset | None:
    """The one with this key; None when there is none."""
    return next((sample for sample in sample_datasets() if sample.key == key), None)


def samples_by_domain() -> list[tuple[str, list[SampleDataset]]]:
    """(field in words, its datasets), for a page."""
    found: dict[str, list[SampleDataset]] = {}
    for sample in sample_datasets():
        found.setdefault(sample.domain_word, []).append(sample)
    return list(found.items())
