"""The encoding is decided on the whole file; Chinese never turns into accents, nor accents into Chinese."""

import codecs
import json
import random

import pytest

from audits.formats import FormatError, open_dataset
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
    assert (opened.understanding.confidence == 1.0) == (codec in {"utf-8", "utf-8-sig", "utf-16", "utf-32"})


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


def test_utf16_with_half_a_character_at_its_end(write):
    text = CHINESE + "2,问,证,,答"
    for content in (codecs.BOM_UTF16_LE + text.encode("utf-16-le")[:-1], text.encode("utf-16-be")[:-1]):
        records, problems = read(open_dataset(write(content)))
        assert [r.external_id for r in records] == ["1"]
        assert [(p.line, p.column, p.code) for p in problems] == [(3, "回答", "undecodable")]


def test_half_a_surrogate_pair_in_utf16_costs_one_row(write):
    content = codecs.BOM_UTF16_LE + (CHINESE + "2,问,证,,X\r\n3,问,证,,答\r\n").encode("utf-16-le")
    records, problems = read(open_dataset(write(content.replace("X".encode("utf-16-le"), b"\x3d\xd8"))))
    assert [r.external_id for r in records] == ["1", "3"]
    assert [(p.line, p.code) for p in problems] == [(3, "undecodable")]


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


TEXTS = {
    "simplified": (
        "退货后多久能收到退款？|仓库验收通过后，三个工作日内原路退款。|海外购买的设备可以在国内保修吗？|根据知识库内容，未找到相关的信息，"
        "无法回答该问题。|逾期付款的违约金按未付金额的百分之五计算，上限为合同总价的百分之十。|保修期自激活之日起十二个月|"
        "企业版用户每月可免费调用一万次接口，超出部分另行计费。|患者应当在医生指导下用药，每日不超过四克|华东区营收同比增长"
    ),
    "traditional": (
        "退貨後多久能收到退款？|倉庫驗收通過後，三個工作天內原路退款。|海外購買的設備可以在國內保固嗎？|根據知識庫內容，找不到相關的資訊，"
        "無法回答這個問題。|逾期付款的違約金依未付金額計算，上限為契約總價的百分之十。|保固期自啟用日起十二個月|"
        "企業版用戶每月可免費呼叫一萬次介面，超出部分另行計費。|病患應在醫師指示下服藥，每日不得超過四公克|營收較去年同期成長"
    ),
    "japanese": (
        "返品してから返金されるまで何日かかりますか。|倉庫での検品が終わってから三営業日以内に返金します。|海外で買った製品は国内で修理できますか。|"
        "知識ベースには関連する情報が見つからないため、回答できません。|支払いが遅れた場合の違約金は未払い額に応じて計算されます。|"
        "保証期間は使用開始日から十二か月です。|エンタープライズプランのお客様は毎月一万回まで無料で利用できます。"
    ),
    "korean": (
        "반품 후 환불은 언제 받을 수 있나요?|창고 검수가 끝난 뒤 삼 일 이내에 환불됩니다.|"
        "해외에서 구매한 제품도 국내에서 보증을 받을 수 있나요?|"
        "지식 베이스에서 관련 정보를 찾을 수 없어 답변할 수 없습니다.|"
        "대금을 늦게 지급하면 위약금은 미지급 금액을 기준으로 계산합니다.|"
        "보증 기간은 사용을 시작한 날부터 십이 개월입니다."
    ),
    "western": (
        "Où est le café le plus proche de l’hôtel ?|"
        "Le remboursement est effectué sous trois jours ouvrés après réception.|"
        "Die Gebühr beträgt 4,50 € – „alles inklusive“.|Überfällige Zahlungen müssen gemäß § 5 verzinst werden.|"
        "¿Cuándo se devolverá el dinero de la reparación?|It’s £3 for members — “all in”.|"
        "Não há informações sobre a garantia."
    ),
}
ENCODED = [
    *(("simplified", codec) for codec in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030")),
    *(("traditional", codec) for codec in ("utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5")),
    *(("japanese", codec) for codec in ("utf-8", "utf-16-le", "utf-16-be", "shift_jis")),
    *(("korean", codec) for codec in ("utf-8", "utf-16-le", "utf-16-be", "euc_kr")),
    *(("western", codec) for codec in ("utf-8", "utf-16-le", "utf-16-be", "windows-1252")),
]
WINDOWS = {"big5": "cp950", "shift_jis": "cp932", "euc_kr": "cp949"}


def table(texts, rows, source, kind):
    pick = lambda: source.choice(texts)  # noqa: E731  # one line
    match kind:
        case "csv":
            lines = [f'{n},"{pick()}","{pick()}","{pick()}"' for n in range(rows)]
            return "id,question,contexts,answer\n" + "\n".join(lines) + "\n"
        case "pure":  # Chinese headers and no identifiers: hardly any ASCII
            return "".join(f"{pick()}\t{pick()}\n" for _ in range(rows))
        case _:
            rows = [{"question": pick(), "contexts": [pick()], "answer": pick()} for _ in range(rows)]
            return json.dumps(rows, ensure_ascii=False)


@pytest.mark.thorough
@pytest.mark.parametrize(("language", "codec"), ENCODED)
def test_every_language_in_every_encoding_and_length(write, language, codec):
    texts, source = TEXTS[language].split("|"), random.Random(f"{language} {codec}")
    for kind in ("csv", "pure", "json"):
        for rows, times in ((1, 15), (3, 15), (20, 5), (400, 1)):
            for _ in range(times):
                content = table(texts, rows, source, kind).encode(WINDOWS.get(codec, codec))
                guess = detect(write(content))
                if content.isascii():
                    assert guess.name == "utf-8"
                elif rows == 1:
                    assert guess.name == codec or guess.confidence < 0.95
                else:
                    assert guess.name == codec
                assert guess.confidence == 1.0 if guess.name == "utf-8" else 0 < guess.confidence < 1


def test_little_evidence_is_little_confidence(write):
    one, many = ("question,context,answer\n" + "é,c,a\n" * count for count in (1, 30))
    assert detect(write(one, "windows-1252")).confidence < 0.95
    assert detect(write(one, "windows-1252")).confidence < detect(write(many, "windows-1252")).confidence
    assert detect(write("问\n", "gbk")).confidence < 0.95


@pytest.mark.parametrize("text", ["乱码的片段。", "纯中文没有任何标点也没有换行", "問題回答"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_one_line_of_pure_chinese_in_utf16(write, text, codec):
    guess = detect(write(text, codec))
    assert guess.name == codec or guess.confidence < 0.95


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_json_in_utf16_without_a_mark(write, codec):
    text = json.dumps([{"question": "谁？", "contexts": ["甲"], "answer": "甲"}], ensure_ascii=False)
    opened = open_dataset(write(text, codec))
    assert (opened.understanding.format, opened.understanding.encoding) == ("json", codec)
    assert read(opened)[0][0].answer == "甲"


def test_windows_extensions_are_read_as_windows_writes_them(write):
    head = "編號,問題,上下文,回答\n1,退款要多久？,收到退貨後三個工作日內退款，逾期請聯絡客服。,"
    for text, codec in (("三～五天，€5，碁", "cp950"), ("①㈱～髙", "cp932"), ("€5", "cp936")):
        header = (
            head
            if codec == "cp950"
            else "id,question,context,answer\n1,何ですか。,これは説明です。とても長い説明です。,"
        )
        header = header if codec != "cp936" else "编号,问题,上下文,回答\n1,多久退款？,收到退货后三个工作日内退款。,"
        content = header.encode(codec) + (b"\x805" if codec == "cp936" else text.encode(codec)) + b"\n"
        record = read(open_dataset(write(content)))[0][0]
        assert record.answer == text


def test_characters_of_hong_kong(write):
    text = "編號,問題,上下文,回答\n1,退款要幾耐？,收到退貨之後三個工作天內會退款俾客人。,佢哋喺度，啲嘢冇咗\n"
    content = text.encode("big5hkscs")
    with pytest.raises(UnicodeDecodeError):
        content.decode("cp950")
    opened = open_dataset(write(content))
    assert opened.understanding.encoding == "big5"
    assert read(opened)[0][0].answer == "佢哋喺度，啲嘢冇咗"
    assert read(open_dataset(write(content), encoding="big5hkscs"))[0][0].answer == "佢哋喺度，啲嘢冇咗"


def test_two_bytes_that_are_utf8_by_chance(write):
    assert detect(write("id,状态\n1,前\n", "gbk")).name == "gb18030"
    for text in ("é", "ž,ł", "да,нет", "ναι", "×·°"):
        assert detect(write(f"question,context,answer\n{text},c,a\n")).name == "utf-8"


def test_a_cell_of_nuls_is_no_utf16(write):
    content = "问题,上下文,回答\n问,证据\0\0\0\0,答\n".encode()
    assert detect(write(content)).name == "utf-8"
    assert detect(write(b"question,context,answer\nq,a\0b\0c,a\n")).name == "utf-8"


def test_bytes_that_make_sense_in_no_encoding_are_refused(write):
    russian = "вопрос,контекст,ответ\n" + "Когда вернут деньги,После проверки на складе,Через три дня\n" * 5
    with pytest.raises(FormatError) as caught:
        detect(write(russian, "koi8-r"))
    assert caught.value.code == "undecodable"
    opened = open_dataset(write(russian, "windows-1251"), encoding="windows-1251")
    assert opened.understanding.columns == ("вопрос", "контекст", "ответ")


def test_damaged_utf8_keeps_its_name_and_is_not_certain(write):
    content = CHINESE.encode() + b"2,\xff,c,,d\n"
    guess = detect(write(content))
    assert guess.name == "utf-8"
    assert guess.confidence < 0.95


def test_the_euro_of_iso_8859_15_is_told_from_windows_1252(write):
    text = "question,context,answer\nPrix ?,Le cœur du délai œuvré coûte 5 €.,5 €\n"
    opened = open_dataset(write(text, "iso-8859-15"))
    assert opened.understanding.encoding == "iso-8859-15"
    assert "guessed_encoding" in {notice.code for notice in opened.understanding.warnings}
    text = "question,context,answer\nPrix ?,Le délai coûte 5 € soit ½ de 10 €.,5 €\n"
    assert open_dataset(write(text, "windows-1252")).understanding.encoding == "windows-1252"
    text = "question,context,answer\nPrix ?,Le délai coûte 2½ pièces.,2½\n"
    assert open_dataset(write(text, "iso-8859-1")).understanding.encoding == "windows-1252"
