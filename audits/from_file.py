"""What came with a sample in its file besides question, answer and contexts, in an order that is always the same."""

import json
from collections.abc import Mapping
from typing import Any

from audits.exporting import Cell
from audits.formats.roles import MAX_COLUMNS
from audits.models import Dataset, Sample

FIELDS = ("reference", "generator", "timestamp", "tags", "metadata")  # of Sample
PREFIX = "meta."
REST = "metadata"  # the column that holds all columns of the file which have none of their own
CHUNK = 500


class FileOrder:
    """The order of a dataset's other columns: as the file has them, then those that its head does not name, by name.

    PostgreSQL forgets the order of an object's keys, so the stored order is no order.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._rank = {name: number for number, name in enumerate(dataset.columns)}

    def sorted(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """The same columns in this order."""
        rank = self._rank
        return dict(sorted(metadata.items(), key=lambda pair: (rank.get(pair[0], len(rank)), pair[0])))


def as_text(value: Any) -> str:
    """A value of another column as one text: lists, objects and numbers as JSON writes them, "" for none."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def as_record(sample: Sample, order: FileOrder) -> dict[str, Any]:
    """FIELDS as JSON has them; the time in ISO 8601, None where the file says none."""
    return {
        "reference": sample.reference,
        "generator": sample.generator,
        "timestamp": sample.timestamp.isoformat() if sample.timestamp else None,
        "tags": sample.tags,
        "metadata": order.sorted(sample.metadata),
    }


class FileColumns:
    """The same as columns of a table, one for each column of the file that is not mapped: "meta.NAME".

    Beyond MAX_COLUMNS of them, as files without a header can have, the rest shares one column, as an object.
    """

    def __init__(self, dataset: Dataset) -> None:
        """Reads the metadata of all samples once: only rows know what a file without a header holds."""
        found: dict[str, Any] = {}
        samples = dataset.samples.order_by().exclude(metadata={}).values_list("metadata", flat=True)
        for metadata in samples.iterator(chunk_size=CHUNK):
            found |= dict.fromkeys(metadata)
        names = list(FileOrder(dataset).sorted(found))
        self._named, self._rest = names[:MAX_COLUMNS], names[MAX_COLUMNS:]

    @property
    def names(self) -> list[str]:
        """The header of cells()."""
        return [*FIELDS[:-1], *(PREFIX + name for name in self._named), *([REST] if self._rest else [])]

    def cells(self, sample: Sample) -> list[Cell]:
        """One row; a column that this row lacks is empty."""
        time = sample.timestamp.isoformat() if sample.timestamp else ""
        cells: list[Cell] = [sample.reference, sample.generator, time, ", ".join(sample.tags)]
        cells += [_cell(sample.metadata.get(name)) for name in self._named]
        if self._rest:
            rest = {name: sample.metadata[name] for name in self._rest if name in sample.metadata}
            cells.append(as_text(rest or None))
        return cells


def _cell(value: Any) -> Cell:
    return value if isinstance(value, int | float) else as_text(value)
