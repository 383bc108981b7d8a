"""A file comes in: moved and not copied, kept where a person can mend it, gone where nobody can."""

import hashlib
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile

from audits import pipeline
from audits.formats.base import FormatError
from audits.models import Dataset, Project
from audits.pipeline.arriving import FORGOTTEN
from audits.tasks import sweep
from audits.uploads import HashingUploadHandler, incoming_folder

pytestmark = pytest.mark.django_db
TABLE = "id,question,contexts,answer\n1,Q,C,A\n"
GBK = "编号,问题,参考证据,回答\n1,年利率是多少？,贷款年利率为百分之四点二。,年利率为百分之四点二。\n"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


def files() -> set[str]:
    return {path.name for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()}


def receive(project: Project, content: str | bytes, name: str = "table.csv", **fields: Any) -> Dataset:
    data = content if isinstance(content, bytes) else content.encode()
    return pipeline.receive_upload(project=project, user=None, file=ContentFile(data, name=name), **fields)


def imported(dataset: Dataset, **mapping: Any) -> Dataset:
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping | mapping, user=None)
    pipeline.import_dataset(dataset.pk)
    dataset.refresh_from_db()
    return dataset


def packed(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.csv", text)
    return file.getvalue()


def test_an_upload_is_moved_into_place(project: Project) -> None:
    handler = HashingUploadHandler()
    handler.new_file("file", "../a.csv", "text/csv", len(TABLE), None)
    for piece in (TABLE[:9].encode(), TABLE[9:].encode()):
        handler.receive_data_chunk(piece, 0)
    file = handler.file_complete(len(TABLE))
    before = os.stat(file.temporary_file_path())
    assert Path(file.temporary_file_path()).parent == incoming_folder()
    dataset = pipeline.receive_upload(project=project, user=None, file=file)
    assert dataset.path.stat().st_ino == before.st_ino
    assert dataset.path.stat().st_mode & 0o777 == 0o600
    assert (dataset.sha256, dataset.size) == (hashlib.sha256(TABLE.encode()).hexdigest(), len(TABLE))
    file.close()
    assert files() == {dataset.stored_as} and dataset.path.read_text() == TABLE


def test_what_no_choice_can_mend_is_not_kept(project: Project) -> None:
    for content in (b"", b"%PDF-1.7 \x00", packed(a="x")[:-30]):
        with pytest.raises(FormatError):
            receive(project, content)
    assert files() == set() and not Dataset.objects.exists()


def test_a_file_that_a_choice_can_mend_is_kept_with_its_failure(project: Project) -> None:
    dataset = receive(project, packed(one=TABLE, two=TABLE.replace("Q", "R")), "two.zip")
    assert (dataset.status, dataset.failure["code"], dataset.columns) == (Dataset.Status.FAILED, "several_files", [])
    assert files() == {dataset.stored_as}
    assert pipeline.members_of(dataset) == ("one.csv", "two.csv")
    for refused in (
        lambda: pipeline.open_file(dataset),
        lambda: pipeline.confirm_mapping(dataset=dataset, mapping={}, user=None),
    ):
        with pytest.raises(FormatError) as found:
            refused()
        assert found.value.code == "several_files" and "one.csv" in str(found.value)
    with pytest.raises(FormatError):
        pipeline.understand_again(dataset=dataset, member="three.csv")
    dataset.refresh_from_db()
    assert dataset.failure["code"] == "several_files" and files() == {dataset.stored_as}
    pipeline.understand_again(dataset=dataset, member="two.csv")
    assert (dataset.status, dataset.failure, dataset.member) == (Dataset.Status.UPLOADED, {}, "two.csv")
    assert files() == {dataset.stored_as, dataset.unpacked_as}
    assert imported(dataset).samples.get().question == "R"


def test_another_file_of_an_archive_takes_the_place_of_the_first(
    project: Project, django_capture_on_commit_callbacks: Any
) -> None:
    dataset = receive(project, packed(one=TABLE, two=TABLE), "two.zip")
    pipeline.understand_again(dataset=dataset, member="one.csv")
    before = dataset.unpacked_as
    pipeline.understand_again(dataset=dataset, escapes=True)  # reads what is unpacked
    assert (dataset.unpacked_as, dataset.member, dataset.escapes) == (before, "one.csv", True)
    with django_capture_on_commit_callbacks(execute=True):
        pipeline.understand_again(dataset=dataset, member="two.csv")
    assert dataset.unpacked_as != before and files() == {dataset.stored_as, dataset.unpacked_as}
    with django_capture_on_commit_callbacks(execute=True):
        pipeline.delete_dataset(dataset=dataset, user=None)
    assert files() == set()


def test_what_is_chosen_stands_and_what_depends_on_it_is_guessed_anew(project: Project) -> None:
    dataset = receive(project, GBK.encode("gb18030"))
    assert dataset.encoding == "gb18030"
    pipeline.understand_again(dataset=dataset, delimiter=";")
    assert (dataset.encoding, dataset.delimiter, len(dataset.columns)) == ("gb18030", ";", 1)
    pipeline.understand_again(dataset=dataset, encoding="gbk")
    assert (dataset.encoding, dataset.delimiter, len(dataset.columns)) == ("gb18030", ",", 4)
    pipeline.understand_again(dataset=dataset, header=False)
    pipeline.understand_again(dataset=dataset, delimiter=",")
    assert (dataset.header, dataset.header_line) == (False, None)
    with pytest.raises(TypeError, match="not a choice"):
        pipeline.understand_again(dataset=dataset, colour="red")


def test_a_dataset_that_is_being_imported_is_read_as_it_was_confirmed(project: Project) -> None:
    dataset = receive(project, TABLE)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    pipeline.understand_again(dataset=dataset, delimiter=";")
    assert (dataset.delimiter, dataset.status) == (",", Dataset.Status.IMPORTING)


def test_a_corrected_file_is_the_next_version(project: Project) -> None:
    first = receive(project, TABLE)
    second = receive(project, TABLE, previous=first)
    assert (first.version, first.previous) == (1, None)
    assert (second.version, second.previous, list(first.later.all())) == (2, first, [second])


def test_a_mapping_that_was_confirmed_before_is_offered_again(project: Project) -> None:
    table = "id,question,contexts,answer,other answer\n1,Q,C,A,B\n"
    first = receive(project, table)
    assert pipeline.remembered_mapping(project, first.columns, first.shape) is None  # not imported yet
    imported(first, answer="other answer")
    again = receive(project, table.replace("other answer\n", "other answer,note\n").replace(",B\n", ",B,n\n"))
    assert again.mapping["answer"] == "other answer"
    assert pipeline.remembered_mapping(project, again.columns, again.shape) == (first.mapping, first)
    assert receive(project, TABLE).mapping["answer"] == "answer"  # it has no such column
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    assert receive(elsewhere, table).mapping["answer"] == "answer"


def test_a_column_that_was_not_there_before_is_guessed_beside_what_is_remembered(project: Project) -> None:
    imported(receive(project, "question,contexts,answer,text\nQ,C,A,T\n"), answer="text")
    again = receive(project, "uid,question,contexts,answer,text\n7,Q,C,A,T\n")
    assert (again.mapping["answer"], again.mapping["id"]) == ("text", "uid")


def test_what_broken_uploads_left_goes_after_a_while(project: Project) -> None:
    old, new = (incoming_folder() / name for name in ("old.upload", "new.upload"))
    for path in (old, new):
        path.write_bytes(b"half")
    past = time.time() - FORGOTTEN - 1
    os.utime(old, (past, past))
    sweep()
    assert files() == {"new.upload"}
