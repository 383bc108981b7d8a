"""Text that was wrongly decoded is found; text that is only rich in signs is not."""

import pytest

from audits.formats import open_dataset
from audits.formats.suspicion import looks_wrongly_decoded

from .conftest import read


def western(text, codec):
    """The bytes of a text in `codec`, read as windows-1252."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode(codec))


WRONG = [
    western("退货需要多久？", "utf-8"),
    western("7天", "utf-8"),
    "退货需要多久？".encode().decode("latin-1"),
    western("It’s fine", "utf-8"),
    western("déjà vu", "utf-8"),
    western("größer", "utf-8"),
    western("Привет", "utf-8"),
    western("退货", "gbk"),
    western("收到退货后三个工作日内退款。", "gbk"),
    western("收到退貨後三個工作天內退款。", "cp950"),
    western("返品してから返金されるまで", "cp932"),
    western("환불은 언제 받을 수 있나요", "cp949"),
    "鍥炵瓟",
    "閫€璐",
    "璇锋彁渚涚浉鍏充俊鎭",
    "回答：\ufffd\ufffd",
    "锟斤拷锟斤拷",
    "烫烫烫烫",
    "Club\x92s rules",
    "price: ï¿½5",
]
RIGHT = [
    "Où est le café “Ångström” ? « Voilà » déjà vu, naïveté¹²",
    "“Voilà”… café”… Straße” – MAÇÔ",
    "Nestlé®™ costs £5; 4,50 €; ±2 µm; ½ × ¼; §§ 3–5; 25 °C",
    "ÄÖÜ ÄÖÜ ÉÈÀ ÇÜÖ ÑÓÚ ÃÕ",
    "Không có thông tin về bảo hành trong cơ sở dữ liệu. Ưu đãi đặc biệt",
    "Não há informações sobre a garantia: REDUÇÃO DE PREÇOS",
    "根据知识库内容，未找到与“海外购买保修”相关的信息——无法回答该问题。€100",
    "医生回答：浙江金华，多公斤。虞世南、詹先生、孙辰茜）一、研制",
    "鋼鐵鍛鍊、鎖鏈、閱讀銀行帳簿",
    "镕、喆、㐀、𠀀、龘、靐",
    "返品してから返金されるまで何日かかりますか。今から",
    "사용자가 비밀번호를 사용하여 백엔드를 인증할 수 있는지 여부입니다.",
    "| ˆ piblack | ˆ piwhite | ˆ p |",
    "——————— ………… ”””",
    "plain",
    "",
]


@pytest.mark.parametrize("text", WRONG)
def test_wrongly_decoded_text_is_found(text):
    assert looks_wrongly_decoded(text)
    assert looks_wrongly_decoded("Frage 1: " + text)


@pytest.mark.parametrize("text", RIGHT)
def test_rightly_decoded_text_is_left_alone(text):
    assert not looks_wrongly_decoded(text)


def test_a_warning_and_no_repair(write):
    spoilt = western("退货需要多久？", "gbk")
    opened = open_dataset(write(f"question,context,answer\n{spoilt},c,a\n"))
    assert [warning.code for warning in opened.understanding.warnings] == ["mojibake"]
    assert read(opened)[0][0].question == spoilt
