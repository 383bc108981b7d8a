"""ZIP and GZ: the dataset inside is found and unpacked, tricks and bombs are refused before they do harm."""

import gzip
import io
import stat
import zipfile

import pytest

from audits.formats import FormatError, open_dataset
from audits.formats.archives import is_archive, members_of, unpack

LIMIT = 100 << 20
TABLE = "question,context,answer\n问,证,答\n".encode()


def zip_of(*entries):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries:
            archive.writestr(entry, content)
    return target.getvalue()


def refusal(path, tmp_path, **options):
    target = tmp_path / "out"
    with pytest.raises(FormatError) as caught:
        unpack(path, target, limit=options.pop("limit", LIMIT), **options)
    assert not target.exists()
    assert "Nothing was imported." in str(caught.value)
    return caught.value.code


def test_a_gz_is_unpacked(write, tmp_path):
    path = write(gzip.compress(TABLE))
    assert is_archive(path) and members_of(path) == ()
    assert unpack(path, tmp_path / "out", limit=LIMIT) == ""
    assert (tmp_path / "out").read_bytes() == TABLE
    assert open_dataset(tmp_path / "out").columns[:3] == ("question", "context", "answer")


def test_the_one_dataset_of_a_zip_is_found_beside_what_explains_it(write, tmp_path):
    path = write(
        zip_of(
            ("out/answers.csv", TABLE),
            ("out/README.md", b"# Read me"),
            ("notes.txt", b"x"),
            ("__MACOSX/out/._answers.csv", b"\x00\x05"),
            ("out/.DS_Store", b"\x00"),
        )
    )
    assert is_archive(path) and members_of(path) == ("out/answers.csv",)
    assert unpack(path, tmp_path / "out", limit=LIMIT) == "out/answers.csv"
    assert (tmp_path / "out").read_bytes() == TABLE


def test_of_several_datasets_one_is_chosen(write, tmp_path):
    path = write(zip_of(("a.csv", TABLE), ("b.csv", TABLE + b"q,c,a\n")))
    assert members_of(path) == ("a.csv", "b.csv")
    assert refusal(path, tmp_path) == "several_files"
    assert refusal(path, tmp_path, member="c.csv") == "unknown_member"
    assert unpack(path, tmp_path / "out", member="b.csv", limit=LIMIT) == "b.csv"
    assert (tmp_path / "out").read_bytes().endswith(b"q,c,a\n")


def test_chinese_names_as_windows_writes_them(write, tmp_path):
    entry = zipfile.ZipInfo("xx.csv")
    content = zip_of((entry, TABLE), ("b.csv", TABLE)).replace(b"xx.csv", "答.csv".encode("gbk"))
    path = write(content)
    assert members_of(path) == ("答.csv", "b.csv")
    assert unpack(path, tmp_path / "out", member="答.csv", limit=LIMIT) == "答.csv"


@pytest.mark.parametrize("name", ["../../etc/cron.d/x.csv", "/etc/passwd", "C:\\x.csv", "a\\..\\..\\x.csv"])
def test_names_that_lead_out_are_refused(write, tmp_path, name):
    assert refusal(write(zip_of((name, TABLE))), tmp_path) == "unsafe_archive"


def test_a_link_is_refused(write, tmp_path):
    entry = zipfile.ZipInfo("a.csv")
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert refusal(write(zip_of((entry, b"/etc/passwd"))), tmp_path) == "unsafe_archive"


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zip_of(("a.csv", content))])
def test_bombs(write, tmp_path, pack):
    bomb = write(pack(b"\x20" * (60 << 20)))
    assert bomb.stat().st_size < 1 << 20
    assert refusal(bomb, tmp_path) == "archive_too_large"
    assert refusal(write(pack(TABLE * 1000)), tmp_path, limit=1000) == "archive_too_large"


def test_very_many_members(write, tmp_path):
    assert refusal(write(zip_of(*((f"{n}.csv", b"") for n in range(5001)))), tmp_path) == "too_many_members"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (gzip.compress(TABLE * 50, mtime=0)[:-20], "broken_archive"),
        (gzip.compress(TABLE, mtime=0)[:12] + b"\xff" * 40, "broken_archive"),
        (zip_of(("a.csv", TABLE))[:-10] + b"PK\x05\x06", "broken_archive"),
        (zip_of(("a.csv", TABLE))[5:], "broken_archive"),  # its offsets lead before its start
        (zip_of(("folder/", b"")), "empty_archive"),
        (zip_of(("__MACOSX/x", b"")), "empty_archive"),
    ],
)
def test_damage(write, tmp_path, content, code):
    assert refusal(write(content), tmp_path) == code


def test_an_encrypted_member(write, tmp_path):
    content = bytearray(zip_of(("a.csv", TABLE)))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    assert refusal(write(bytes(content)), tmp_path) == "encrypted"


def test_a_workbook_is_no_archive(write):
    assert not is_archive(write(zip_of(("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>"))))
    assert not is_archive(write(TABLE))
    assert not is_archive(write(b"PK\x03\x04 and nothing else"))
