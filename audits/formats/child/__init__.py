"""Reading a file in a process of its own, which a hostile file may fill, hang or kill without harm to anybody else.

`read_rows` streams a whole file, mapped, as its rows are to be stored; `understand` reads its head for a page.
`python -m audits.formats.child` is the process (__main__.py): it imports no Django and holds no secret of ours.
"""

from audits.formats.child.asking import End, Understood, members, merge, read_rows, understand
from audits.formats.child.rows import COLUMNS, Rows

__all__ = [
    "COLUMNS",
    "End",
    "Rows",
    "Understood",
    "members",
    "merge",
    "read_rows",
    "understand",
]
