"""manage.py import: what is told of a file, what is stored, and how it ends."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits.models import Dataset, Project

pytestmark = pytest.mark.django_db
TABLE = (
    "编号;问题;检索片段1;检索片段2;回答;模型\r\n1;多久？;三天。;五天。;三天;甲\r\n"
    "2;何时？;明天。;;\r\n3;谁？;我。;;我;甲\r\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_bytes(TABLE.encode("gbk"))
    return path


def run(*arguments: Any) -> tuple[int, str, str]:
    out, err, status = StringIO(), StringIO(), 0
    try:
        call_command("import", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def test_a_dry_run_tells_all_and_stores_nothing(file: Path) -> None:
    status, out, _ = run(file, "--project", "p", "--dry-run", "--json", "--rows", 1)
    told = json.loads(out)
    assert status == 0 and not Dataset.objects.exists() and not Project.objects.filter(slug="p").exists()
    assert (told["format"], told["encoding"], told["delimiter"], told["shape"]) == ("csv", "gb18030", ";", "")
    assert (told["sheet"], told["header_line"], told["dry_run"]) == (None, 1, True)
    assert {role: told["mapping"][role] for role in ("id", "question", "answer", "contexts", "generator")} == {
        "id": "编号",
        "question": "问题",
        "answer": "回答",
        "contexts": ["检索片段1", "检索片段2"],
        "generator": "模型",
    }
    assert (told["rows"], told["imported"]) == (3, 2)
    assert [(error["line"], error["column"]) for error in told["errors"]] == [(3, "模型")]
    assert told["errors"][0]["reason"]
    (sample,) = told["samples"]
    assert (sample["id"], sample["question"], sample["answer"]) == ("1", "多久？", "三天")
    assert sample["contexts"] == ["三天。", "五天。"]


def test_an_import_stores_what_the_dry_run_told(file: Path) -> None:
    dry = json.loads(run(file, "--dry-run", "--json")[1])
    status, out, err = run(file, "--project", "Loan desk 2", "--json")
    told = json.loads(out)
    dataset = Dataset.objects.get()
    assert status == 0 and told["dataset"] == dataset.pk and dataset.project.slug == "loan-desk-2"
    assert "made the project loan-desk-2" in err
    different = {name for name in told if told[name] != dry[name]}
    assert different == {"dataset", "dry_run"}
    assert dataset.samples.count() == 2
    again = run(file, "--project", "loan-desk-2", "--json")
    assert again[0] == 0 and Project.objects.filter(slug__startswith="loan-desk-2").count() == 1


def test_columns_and_reading_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes("wer^was^womit\nq^a^c1 ## c2\n".encode("cp1252"))
    options = [
        "--delimiter",
        "^",
        "--encoding",
        "cp1252",
        "--map",
        "question=wer,answer=was",
        "--map",
        "contexts=womit",
    ]
    status, out, _ = run(path, "--dry-run", "--json", *options, "--map", "split=##")
    told = json.loads(out)
    assert status == 0 and told["encoding"] == "windows-1252" and told["delimiter"] == "^"
    assert told["samples"][0]["contexts"] == ["c1", "c2"]


@pytest.mark.parametrize("dry", [["--dry-run"], []])
@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"", [], "empty"),
        (b"question,context,answer\n", [], "no rows"),
        (b"%PDF-1.7", [], "PDF"),
        (b"a,b,c\n1,2,3\n", [], "choose the columns"),
        (b"question,context,answer\nq,c,a\n", ["--map", "answer=nothing"], "nothing"),
        (b"question,context,answer\nq,c,a\n", ["--map", "anwser=b"], "does not know"),
        (b"question,context,answer\nq,c,a\n", ["--encoding", "klingon"], "klingon"),
    ],
)
def test_what_cannot_be_read_ends_with_two_and_a_reason(
    tmp_path: Path, content: bytes, options: list[str], said: str, dry: list[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    status, out, err = run(path, "--json", *options, *dry)
    assert status == 2 and said in err
    assert out == "" or (dry and said in json.loads(out)["problem"])
    assert not Dataset.objects.exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    status, _, err = run(tmp_path / "gone.csv", "--dry-run")
    assert status == 2 and "gone.csv" in err


def test_columns_guessed_by_their_contents_are_shown_and_not_imported_unasked(tmp_path: Path) -> None:
    rows = [
        f"何时还款{n}？,合同第{n}条规定借款人应当在每月{n}日之前偿还当月的本金和利息。,每月{n}日之前\n"
        for n in range(1, 6)
    ]
    path = tmp_path / "bare.csv"
    path.write_text("".join(rows), encoding="utf-8")
    told = json.loads(run(path, "--dry-run", "--json")[1])
    assert (told["rows"], told["header_line"]) == (5, None)
    status, _, err = run(path)
    assert status == 2 and "--map" in err and not Dataset.objects.exists()
    guessed = [f"{role}={told['mapping'][role]}" for role in ("question", "contexts", "answer")]
    status, out, _ = run(path, "--json", "--map", ",".join(guessed))
    assert status == 0 and json.loads(out)["imported"] == 5


def test_an_archive(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "answers.csv.gz"
    path.write_bytes(gzip.compress(TABLE.encode()))
    for dry in (["--dry-run"], []):
        status, out, _ = run(path, "--json", *dry)
        assert status == 0 and json.loads(out)["imported"] == 2
