"""What counts as a reason."""

import pytest

from audits.text.reasons import reason_in


@pytest.mark.parametrize(
    "text", ["", "  ", "\u200b", "\u3000", "\u2800", "\u00ad\u200d", "\u3164", "\x00", "...", "\ufeff-"]
)
def test_nothing_that_can_be_read_is_no_reason(text: str) -> None:
    assert reason_in(text) == ""


@pytest.mark.parametrize("text", ["The only manager.", "唯一的项目经理", "סיבה", "7", "a\u200db"])
def test_a_reason_stays_as_it_was_written(text: str) -> None:
    assert reason_in(f"\n {text}\x00 ") == text
