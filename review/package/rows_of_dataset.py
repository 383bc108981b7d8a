"""The rows of the uploaded file: what became of each."""

import json
from collections.abc import Iterator, Sequence

from audits.exporting import Cell
from audits.models import Sample
from review.models import Certificate

CHUNK = 1000


def rows_of_dataset(certificate: Certificate) -> Iterator[Sequence[Cell]]:
    """Samples in the order of the file, then the lines that were not imported, as columns.DATASET says."""
    dataset = certificate.audit.dataset
    rows = Sample.objects.filter(dataset=dataset).order_by("position").values_list("line", "pk", "flags")
    for line, pk, flags in rows.iterator(chunk_size=CHUNK):
        yield line, pk, json.dumps(flags, ensure_ascii=False)
    for line in dataset.row_errors.order_by("line").values_list("line", flat=True).distinct():
        yield line, None, "[]"
