"""--map: pairs, several context columns, names with commas."""

import pytest

from audits.mapping_option import parsed_mapping


@pytest.mark.parametrize(
    ("texts", "mapping"),
    [
        ([], {}),
        (["question=Q, answer = A "], {"question": "Q", "answer": "A"}),
        (
            ["question=Q", "contexts=C 1,contexts=C 2", "contexts=C=3"],
            {"question": "Q", "contexts": ["C 1", "C 2", "C=3"]},
        ),
        (["question=Question, as asked,answer=回答"], {"question": "Question, as asked", "answer": "回答"}),
        (["contexts=docs[].content,split=|||"], {"contexts": "docs[].content", "split": "|||"}),
        (["question="], {"question": ""}),
    ],
)
def test_pairs(texts: list[str], mapping: dict[str, object]) -> None:
    assert parsed_mapping(texts) == mapping


@pytest.mark.parametrize("texts", [["quesiton=Q"], ["Q"], ["answer=A", "x"]])
def test_an_unknown_role_is_named(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="does not know"):
        parsed_mapping(texts)
