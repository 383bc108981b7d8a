"""Two versions of a dataset compared: which rows are matched how, and how many were added, removed, changed."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, QuerySet, TextField
from django.db.models.functions import Cast

from audits.comparison.rows import Matched, Row, changed_fields, digest, match
from audits.models import Dataset, GivenLabel, Sample

FIELDS = ("question", "contexts", "answer", "reference", "metadata", "labels")
KINDS = ("changed", "added", "removed", "unchanged")
CHUNK = 500  # rows whose texts are in memory at a time
KEPT = 600  # seconds, for who turns its pages; datasets that are ready never change
APART = "\x1f"


@dataclass(frozen=True)
class Comparison:
    """by: what rows were matched by, "id", "question", or "order" where there are no questions. counts: kind -> rows.
    fields: field -> rows in which it changed; a row may be in several."""

    by: str
    matched: Matched
    counts: dict[str, int]
    fields: dict[str, int]

    @property
    def is_same(self) -> bool:
        """Whether both hold the same rows, whatever their order."""
        return self.counts["unchanged"] == sum(self.counts.values())

    def rows(self, kind: str, field: str = "") -> list[tuple[int | None, int | None, int]]:
        """(pk in the old, pk in the new, changed) of the rows of a kind; of changed ones those with this field."""
        if kind == "added":
            return [(None, pk, 0) for pk in self.matched.added]
        if kind == "removed":
            return [(pk, None, 0) for pk in self.matched.removed]
        wanted = 1 << FIELDS.index(field) if field in FIELDS else -1
        pairs = self.matched.pairs
        return [pair for pair in pairs if (pair.changed & wanted if kind == "changed" else not pair.changed)]


def compare(old: Dataset, new: Dataset) -> Comparison:
    """Both datasets must be ready. Each is read once, in chunks; about 400 bytes of a row are held meanwhile."""
    key = ":".join(f"{each.pk}:{each.created.timestamp()}" for each in (old, new))
    found: Comparison | None = cache.get(f"comparison:{key}")
    if found is None:
        found = _compare(old, new)
        cache.set(f"comparison:{key}", found, KEPT)
    return found


def match_samples(old: Dataset, new: Dataset, fields: Sequence[str]) -> tuple[str, Matched]:
    """(by what, which sample is which). Only these fields are told apart."""
    by = _common_key(old, new)
    return by, match(list(_rows(old, by, fields)), list(_rows(new, by, fields)))


def _compare(old: Dataset, new: Dataset) -> Comparison:
    by, matched = match_samples(old, new, FIELDS)
    changed = Counter(field for pair in matched.pairs for field in changed_fields(pair.changed, FIELDS))
    unchanged = sum(not pair.changed for pair in matched.pairs)
    counts = (len(matched.pairs) - unchanged, len(matched.added), len(matched.removed), unchanged)
    return Comparison(
        by=by,
        matched=matched,
        counts=dict(zip(KINDS, counts, strict=True)),
        fields={field: changed[field] for field in FIELDS if changed[field]},
    )


def _common_key(old: Dataset, new: Dataset) -> str:
    if _has_identifiers(old) and _has_identifiers(new):
        return "id"
    return "order" if "" in (old.mapping.get("question"), new.mapping.get("question")) else "question"


def _has_identifiers(dataset: Dataset) -> bool:
    """Whether its file names its rows, each with a name of its own. Numbers given by us say nothing of a row."""
    if not dataset.mapping.get("id"):
        return False
    twice = Sample.objects.filter(dataset=dataset).order_by().values("external_id").annotate(n=Count("pk"))
    return not twice.filter(n__gt=1).exists()


def _rows(dataset: Dataset, by: str, fields: Sequence[str]) -> Iterator[Row]:
    labels = _labels(dataset) if "labels" in fields else {}
    readers = [_READERS[field] for field in fields if field != "labels"]
    for row in _texts(dataset, fields).iterator(chunk_size=CHUNK):
        key = {"id": row["external_id"], "question": " ".join(row["question"].split())}.get(by, "")
        parts = [digest(read(row)) for read in readers]
        if "labels" in fields:
            parts.insert(fields.index("labels"), labels.get(row["pk"], _NOTHING))
        yield Row(row["pk"], digest(key), b"".join(parts))


def _texts(dataset: Dataset, fields: Sequence[str]) -> "QuerySet[Sample, dict[str, Any]]":
    """The columns that are needed. Lists and objects come as the text that is stored: to build them costs more."""
    plain = {"pk", "external_id", "question", *({"answer", "reference"} & set(fields))}
    stored = {"contexts_text": Cast("contexts", TextField())} if "contexts" in fields else {}
    if "metadata" in fields:
        plain |= {"generator", "timestamp"}
        stored |= {"metadata_text": Cast("metadata", TextField()), "tags_text": Cast("tags", TextField())}
    rows = Sample.objects.filter(dataset=dataset).order_by("position").annotate(**stored)
    found: QuerySet[Sample, dict[str, Any]] = rows.values(*sorted(plain), *stored)
    return found


def _metadata(row: dict[str, Any]) -> str:
    """Whatever came with the row; the order of the columns does not count."""
    columns = row["metadata_text"]
    columns = columns if columns == "{}" else json.dumps(json.loads(columns), sort_keys=True)
    return APART.join((columns, row["tags_text"], row["generator"], str(row["timestamp"] or "")))


def _labels(dataset: Dataset) -> dict[int, bytes]:
    """Sample -> digest of the labels that people gave its answer, of those that have some."""
    found: dict[int, bytes] = {}
    rows = GivenLabel.objects.filter(sample__dataset=dataset).order_by("sample", "position")
    for sample, *words in rows.values_list("sample", "claim", "word", "label").iterator(chunk_size=CHUNK):
        found[sample] = digest(APART.join((found.get(sample, b"").hex(), *words)))
    return found


_NOTHING = digest("")
_READERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "question": lambda row: str(row["question"]),
    "contexts": lambda row: str(row["contexts_text"]),
    "answer": lambda row: str(row["answer"]),
    "reference": lambda row: str(row["reference"]),
    "metadata": _metadata,
}
