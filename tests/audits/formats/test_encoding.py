"""The encoding is decided on the whole file; Chinese never turns into accents, nor accents into Chinese."""

import codecs

import pytest

from audits.formats import open_dataset
from audits.formats.encoding import canonical, detect

from .conftest import read, refused

CHINESE = "编号,问题,检索片段1,检索片段2,回答\r\n1,退款要多久？,收到退货后三个工作日内退款。,,“三个工作日”内。\r\n"
TRADITIONAL = (
    "編號,問題,上下文,回答\n1,退款要多久？,收到退貨後三個工作日內退款，逾期請聯絡客服。,三個工作天內退款。\n"
)


@pytest.mark.parametrize(
    ("codec", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("gbk", "gb18030"),
        ("gb18030", "gb18030"),
    ],
)
def test_chinese_reads_the_same_in_every_encoding(write, codec, found):
    opened = open_dataset(write(CHINESE, codec))
    assert opened.understanding.encoding == found
    record = read(opened)[0][0]
    assert (record.external_id, record.question) == ("1", "退款要多久？")
    assert record.contexts == ("收到退货后三个工作日内退款。",)
    assert record.answer == "“三个工作日”内。"
    assert any("guessed" in str(warning) for warning in opened.understanding.warnings) == (found == "gb18030")


def test_characters_beyond_gb2312(write):
    text = "问题,上下文,回答\n谁？,朱镕基和陶喆的发言。,镕、喆、㐀、𠀀\n"
    assert read(open_dataset(write(text, "gb18030")))[0][0].answer == "镕、喆、㐀、𠀀"


@pytest.mark.parametrize("text", ["答案,问\n", "问题,上下文,回答\n问,证,答\n"])
def test_very_short_gbk(write, text):
    assert detect(write(text, "gbk")).name == "gb18030"


def test_traditional_chinese_in_big5(write):
    opened = open_dataset(write(TRADITIONAL, "big5"))
    assert opened.understanding.encoding == "big5"
    assert read(opened, {**opened.understanding.mapping, "question": "問題"})[0][0].question == "退款要多久？"


def test_western_windows_file(write):
    text = "id,question,context,answer\r\n1,What’s the café’s price?,It’s €4.50 – “all in”.,naïve Ångström\r\n"
    opened = open_dataset(write(text, "windows-1252"))
    assert opened.understanding.encoding == "windows-1252"
    assert read(opened)[0][0].contexts == ("It’s €4.50 – “all in”.",)


def test_one_late_character_decides(write):
    text = "question,context,answer\n" + "q,plain words,a\n" * 8_000 + "q,退款要多久才能到账,三个工作日\n"
    opened = open_dataset(write(text, "gbk"))
    assert opened.understanding.encoding == "gb18030"
    assert read(opened)[0][-1].answer == "三个工作日"


@pytest.mark.parametrize("codec", ["utf-8", "gb18030"])
def test_one_broken_byte_costs_one_row(write, codec):
    rows = "".join(f"{n},退款要多久？,收到退货后三个工作日内退款。,三个工作日。\n" for n in range(20))
    content = ("编号,问题,上下文,回答\n" + rows + "20,问题,证据,回答X\n21,问题,证据,回答\n").encode(codec)
    records, problems = read(open_dataset(write(content.replace(b"X", b"\xff"))))
    assert [(p.line, p.column, p.code) for p in problems] == [(22, "回答", "undecodable")]
    assert len(records) == 21


def test_no_replacement_character_ever(write):
    records, _ = read(open_dataset(write(CHINESE.encode() + b"2,\xe9,\xff,c,d\n3,a,b,c,d\n")))
    assert not any("\ufffd" in r.answer + r.question + "".join(r.contexts) for r in records)


def test_utf16_cut_in_half(write):
    assert refused(write(codecs.BOM_UTF16_LE + CHINESE.encode("utf-16-le")[:-1])).code == "undecodable"


def test_chosen_encoding_wins(write):
    opened = open_dataset(write(CHINESE, "gbk"), encoding="GBK")
    assert opened.understanding.encoding == "gb18030"
    assert opened.understanding.warnings == ()


@pytest.mark.parametrize("name", ["latin-1", "rot13", "idna", "hex", "nonsense", "utf-7", "\x00"])
def test_encodings_that_cannot_be_chosen(write, name):
    if name == "latin-1":  # people mean the Windows one
        assert canonical(name) == "windows-1252"
    else:
        assert refused(write(CHINESE), encoding=name).code == "unknown_encoding"


def test_wrongly_decoded_text_is_imported_with_a_warning(write):
    spoilt = "退货需要多久？".encode().decode("latin-1")
    opened = open_dataset(write(f"question,context,answer\n{spoilt},c,a\n"))
    assert any("wrongly decoded" in str(warning) for warning in opened.understanding.warnings)
    assert read(opened)[0][0].question == spoilt.replace("\x85", "\x85")


def test_accents_are_no_sign_of_wrong_decoding(write):
    opened = open_dataset(write("question,context,answer\nOù est le café “Ångström”?,déjà vu,naïve\n"))
    assert opened.understanding.warnings == ()
