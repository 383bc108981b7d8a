"""Bad rows, mended by hand, come in as a new version; the old one stays as it is."""

import csv
import io
from typing import Any

import pytest
from django.core.files.base import ContentFile

from audits import pipeline
from audits.export_errors import error_columns, error_rows
from audits.formats.base import FormatError
from audits.models import Dataset, Event, Project
from audits.tasks import import_dataset

pytestmark = pytest.mark.django_db
TABLE = "id,question,context,answer\n1,q1,c1,a1\n2,q2\n3,q3,c3,a3\n4,q4,c4,a4,x\n"


def imported(project: Project) -> Dataset:
    dataset = pipeline.receive_upload(
        project=project, user=None, file=ContentFile(TABLE.encode(), name="answers.csv")
    )
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    pipeline.import_dataset(dataset.pk)
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.READY and dataset.row_errors.count() == 2
    return dataset


def table_of(dataset: Dataset, **mended: dict[str, str]) -> ContentFile:
    """The table of errors as it is downloaded, with cells corrected by line."""
    names = error_columns(dataset)
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(names)
    for cells in error_rows(dataset):
        row: dict[str, Any] = dict(zip(names, cells, strict=True))
        writer.writerow((row | mended.get(f"line_{row['line']}", {})).values())
    return ContentFile(("\ufeff" + target.getvalue()).encode(), name="errors.csv")


def test_mended_rows_make_a_new_version(project: Project) -> None:
    old = imported(project)
    table = table_of(old, line_3={"context": "c2", "answer": "a2"})
    new, merged = pipeline.mend(dataset=old, file=table, user=None)
    import_dataset(new.pk)
    pipeline.import_dataset(new.pk)
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.status, new.version, new.previous, new.mapping) == (Dataset.Status.READY, 2, old, old.mapping)
    assert (merged.kept, merged.mended, merged.left_out) == (2, 1, 1)
    answers = [(sample.external_id, sample.answer) for sample in new.samples.all()]
    assert answers == [("1", "a1"), ("2", "a2"), ("3", "a3")]
    assert [sample.external_id for sample in old.samples.all()] == ["1", "3"]
    assert new.sha256 != old.sha256 and new.filename == "answers-v2.jsonl"
    assert Event.objects.get(kind="mend").data["dataset"] == new.pk


def test_a_table_that_is_as_it_was_is_refused(project: Project) -> None:
    old = imported(project)
    names = error_columns(old)
    cells = [list(row) for row in error_rows(old)][:1]
    text = "\n".join([",".join(names), ",".join([*map(str, cells[0][:2]), "", "", "", *[""] * (len(names) - 5)])])
    with pytest.raises(FormatError) as refused:
        pipeline.mend(dataset=old, file=ContentFile(text.encode(), name="errors.csv"), user=None)
    assert refused.value.code in {"nothing_mended", "no_rows"}
    assert Dataset.objects.count() == 1


def test_another_file_is_refused(project: Project) -> None:
    old = imported(project)
    with pytest.raises(FormatError) as refused:
        pipeline.mend(dataset=old, file=ContentFile(TABLE.encode(), name="answers.csv"), user=None)
    assert refused.value.code == "not_mended" and Dataset.objects.count() == 1
