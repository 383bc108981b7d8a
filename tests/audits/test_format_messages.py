"""What the readers of files say, in the language of the page."""

import ast
from pathlib import Path

from audits.format_messages import KINDS
from audits.formats import sniff


def test_every_kind_of_file_that_is_refused_is_in_the_catalogue() -> None:
    tree = ast.parse(Path(sniff.__file__).read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    kinds = {text for text in texts if text.startswith(("a ", "an ")) and len(text) < 40}
    assert len(kinds) > 5
    assert kinds == set(KINDS)
