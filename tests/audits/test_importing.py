"""Importing: what is stored, what is refused, and that nothing is half imported."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from audits import pipeline
from audits.formats.base import FormatError
from audits.models import Dataset, Project
from audits.tasks import import_dataset, sweep
from tests.audits import road

pytestmark = pytest.mark.django_db


def stored_files() -> list[Path]:
    from django.conf import settings

    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_a_refused_file_leaves_nothing(project: Project) -> None:
    before = stored_files()
    with pytest.raises(FormatError) as refused:
        pipeline.receive_upload(project=project, user=None, file=ContentFile(b"", name="empty.csv"))
    assert refused.value.code == "empty_file"
    assert stored_files() == before and not Dataset.objects.exists()


def test_a_file_above_the_limit_is_refused_before_it_is_copied(project: Project, settings: Any) -> None:
    settings.ASSAY_MAX_UPLOAD_MB = 1
    before = stored_files()
    with pytest.raises(FormatError, match="larger than 1 MB"):
        pipeline.receive_upload(project=project, user=None, file=ContentFile(b"x" * ((1 << 20) + 1), "a.csv"))
    assert stored_files() == before


def test_rows_that_do_not_fit_are_listed_and_the_good_ones_imported(project: Project) -> None:
    text = "id,question,contexts,answer\n1,Q,C,A\n2,only,three\n3,Q,C,B\n"
    dataset = pipeline.receive_upload(project=project, user=None, file=ContentFile(text.encode(), name="r.csv"))
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    import_dataset(dataset.pk)
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.READY
    assert [sample.external_id for sample in dataset.samples.all()] == ["1", "3"]
    error = dataset.row_errors.get()
    assert error.line == 3 and error.reason


def test_a_file_that_breaks_in_the_middle_imports_nothing(project: Project) -> None:
    rows = b"".join(b'{"question":"Q","contexts":["C"],"answer":"A"}\n' for _ in range(700))
    broken = b"[" + b",".join(rows.splitlines()) + b', {"question": "cut'
    with pytest.raises(FormatError):
        dataset = pipeline.receive_upload(project=project, user=None, file=ContentFile(broken, name="cut.json"))
        pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
        import_dataset(dataset.pk)
        dataset.refresh_from_db()
        assert dataset.status == Dataset.Status.FAILED and not dataset.samples.exists()
        raise FormatError(dataset.failure["code"], dataset.failure["message"])


def test_a_file_that_is_gone_fails_with_a_sentence(project: Project) -> None:
    dataset = road.receive(project, road.TWO_ROWS)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    dataset.path.unlink()
    import_dataset(dataset.pk)
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.FAILED and dataset.failure["code"] == "file_gone"


def test_an_import_goes_on_where_it_was(project: Project) -> None:
    rows = [{"id": str(n), "question": "Q", "contexts": ["C"], "answer": "A"} for n in range(1200)]
    dataset = road.receive(project, rows)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    assert not pipeline.import_dataset(dataset.pk, seconds=0)
    dataset.refresh_from_db()
    assert 0 < dataset.rows_done < 1200 and dataset.rows_total is None
    while not pipeline.import_dataset(dataset.pk, seconds=0):
        pass
    assert list(dataset.samples.values_list("position", flat=True)) == list(range(1200))


def test_confirming_twice_imports_once(project: Project) -> None:
    dataset = road.receive(project, road.TWO_ROWS)
    assert pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    assert not pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    import_dataset(dataset.pk)
    import_dataset(dataset.pk)
    sweep()
    assert dataset.samples.count() == 2


def test_a_dataset_with_audits_stays(project: Project) -> None:
    dataset = road.make_dataset(project)
    road.start(dataset)
    with pytest.raises(pipeline.InUse):
        pipeline.delete_dataset(dataset=dataset, user=None)
    assert dataset.path.exists()


def test_deleting_takes_the_file_along(project: Project, django_capture_on_commit_callbacks: object) -> None:
    dataset = road.make_dataset(project)
    path = dataset.path
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        pipeline.delete_dataset(dataset=dataset, user=None)
    assert not path.exists() and not Dataset.objects.exists()
