"""The answers of a dataset that people labelled before it came here, and what a calibration of them asks about."""

import random
from collections import defaultdict
from collections.abc import Sequence

from django.core.cache import cache

from audits.human_labels import Given, read_labels
from audits.models import Dataset, GivenLabel, Sample
from audits.pipeline.counting import CHUNK, COUNTED, KEPT, Load, size_of


def labelled_keys(dataset: Dataset) -> list[int]:
    """The samples that hold a label, usable or not, in their order."""
    rows = GivenLabel.objects.filter(sample__dataset=dataset).order_by("sample")
    return list(rows.values_list("sample", flat=True).distinct())


def labels_of(samples: Sequence[int]) -> dict[int, Given]:
    """Sample -> what people said of it; samples without any label are left out."""
    rows: dict[int, list[tuple[str, str]]] = defaultdict(list)
    found = GivenLabel.objects.filter(sample__in=samples).order_by("sample", "position")
    for sample, claim, label in found.values_list("sample", "claim", "label"):
        rows[sample].append((claim, label))
    return {sample: read_labels(said) for sample, said in rows.items()}


def labelled_load(dataset: Dataset) -> Load:
    """What a calibration of it asks about, in tokens; of more than COUNTED answers a draw stands for all."""
    keys = labelled_keys(dataset)
    name = f"labelled:{dataset.pk}:{dataset.created.timestamp()}:{len(keys)}:{sum(keys[-1:])}"
    found: Load | None = cache.get(name)
    if found is None:
        drawn = keys if len(keys) <= COUNTED else sorted(random.Random(dataset.pk).sample(keys, COUNTED))
        found = _count(keys, drawn)
        cache.set(name, found, KEPT)
    return found


def _count(keys: Sequence[int], drawn: Sequence[int]) -> Load:
    sizes = []
    columns = ("pk", "language", "question", "answer", "contexts")
    for at in range(0, len(drawn), CHUNK):
        given = labels_of(drawn[at : at + CHUNK])
        for pk, language, question, answer, contexts in Sample.objects.filter(pk__in=given).values_list(*columns):
            if given[pk].usable and answer.strip():
                sizes.append(size_of(language, question, answer, contexts, given[pk].claims))
    return Load(len(keys), len(drawn), tuple(sizes))
