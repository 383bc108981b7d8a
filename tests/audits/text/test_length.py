"""Bounds on tokens from the bytes of a text, around the rules of thumb that vendors publish."""

import pytest

from audits.text.length import tokens_at_least, tokens_at_most


@pytest.mark.parametrize(
    ("text", "by_rule"),
    [
        (
            "The board approved a dividend of $1.5 million on 3 March 2024. " * 100,
            0.25,
        ),  # OpenAI: four letters a token
        ("The fee was not refunded to the client. " * 100, 0.3),  # DeepSeek: 0.3 tokens a letter
        ("董事会批准了分红方案，合同自签字之日起生效。" * 100, 0.6),  # DeepSeek: 0.6 a Chinese character
        ("董事会批准了分红方案，合同自签字之日起生效。" * 100, 1.0),
    ],
)
def test_the_rules_of_thumb_lie_between_the_bounds(text: str, by_rule: float) -> None:
    assert tokens_at_least(text) <= len(text) * by_rule <= tokens_at_most(text)


@pytest.mark.parametrize("text", ["", " ", "a", "中", "😀", "中文 and English 😀 " * 500, "\ud800", "ＡＢＣ　１２"])
def test_the_bounds_never_cross(text: str) -> None:
    assert 0 <= tokens_at_least(text) <= tokens_at_most(text)


def test_blanks_do_not_count_as_text_that_must_be_there() -> None:
    assert tokens_at_least(" \n" * 9000 + "word") == 0
    assert tokens_at_least("word " * 9000) > 0
