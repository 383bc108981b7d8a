import pytest

from audits.text.language import html_lang, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("公司营收增长。", "zh"),
        ("使用 Django REST Framework 和 Celery 部署", "zh"),
        ("繁體中文", "zh"),
        ("The company grew.", "en"),
        ("Xi'an (西安) is the capital of the province of Shaanxi.", "en"),
        ("", "en"),
        ("12.5% 😀", "en"),
        ("𠀀𠀁", "zh"),
    ],
)
def test_the_share_of_han_characters_decides(text, language):
    assert language_of(text) == language


def test_chinese_asks_for_simplified_glyphs():
    assert (html_lang("en"), html_lang("zh"), html_lang("fr")) == ("en", "zh-Hans", "fr")
