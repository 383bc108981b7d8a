"""Items that span several rows of a sheet because cells are merged: which rows belong together, and what they say."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem
from audits.formats.roles import guess_mapping
from audits.formats.scan import Range
from audits.formats.workbook import Cells

MAX_ROWS = 1_000  # of one item
_LAST = 1 << 60
Numbered = tuple[int, Cells]
Interval = tuple[int, int]
"""First and last row."""


class Rows:
    """Which rows, by runs of them."""

    def __init__(self, spans: Iterable[Interval]) -> None:
        self.runs = _joined(spans)
        self._firsts = [first for first, _last in self.runs]

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._firsts, number) - 1
        return at >= 0 and number <= self.runs[at][1]


@dataclass
class Layout:
    """How the rows below the header of a sheet are merged. Columns are numbered from 1."""

    columns: tuple[str, ...]
    down: dict[int, list[Interval]]  # per column, cells merged over several rows, in order
    wrong: Rows  # with cells merged across columns
    headings: Rows  # that are one merged cell
    blocks: list[Interval] = field(default_factory=list)  # rows that belong together, in order
    lists: frozenset[int] = frozenset()  # columns with several texts per item
    answer: int = 0  # column

    @property
    def is_plain(self) -> bool:
        """Whether every row stands for itself."""
        return not (self.down or self.wrong.runs)


def layout_of(columns: Sequence[str], merges: Sequence[Range], header: int, same: frozenset[int]) -> Layout:
    """What the merged ranges below a header mean. same: columns that are one with the column to their left."""
    width = len(columns)
    down: dict[int, list[Interval]] = {}
    wrong: list[Interval] = []
    headings: list[Interval] = []
    for merge in sorted(merges):
        rows, right = (max(merge.top, header + 1), merge.bottom), min(merge.right, width)
        if merge.bottom <= header or merge.left > width:
            continue
        if set(range(merge.left + 1, right + 1)) <= same:
            down.setdefault(merge.left, []).extend([rows] if rows[1] > rows[0] else [])
        else:
            (headings if merge.left == 1 and right == width else wrong).append(rows)
    down = {column: spans for column, spans in down.items() if spans}
    layout = Layout(tuple(columns), down, Rows(wrong), Rows(headings))
    keys = _key_columns(layout)
    layout.blocks = _joined(span for column in keys or _most_merged(layout) for span in down.get(column, []))
    others = [column for column in range(1, width + 1) if column not in keys]
    layout.lists = frozenset(column for column in others if _holds_lists(column, layout))
    return layout


def _joined(spans: Iterable[Interval]) -> list[Interval]:
    """Spans that overlap, as one."""
    runs: list[Interval] = []
    for first, last in sorted(spans):
        if runs and first <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], last))
        else:
            runs.append((first, last))
    return runs


def _key_columns(layout: Layout) -> list[int]:
    """The columns whose merged cells make rows one item, as far as they are known: id, question, answer."""
    mapping = guess_mapping(layout.columns)
    names = {
        role: name for role in ("id", "question", "answer") if isinstance(name := mapping.get(role), str) and name
    }
    known = {role: layout.columns.index(name) + 1 for role, name in names.items()}
    layout.answer = known.get("answer", 0)
    return [*known.values()]


def _most_merged(layout: Layout) -> list[int]:
    most = max(map(len, layout.down.values()), default=0)
    return [column for column, spans in layout.down.items() if len(spans) == most]


def _holds_lists(column: int, layout: Layout) -> bool:
    """Whether a column is left unmerged in most blocks: then it has one text per row, and an item has several."""
    whole = set(layout.down.get(column, []))
    return bool(layout.blocks) and 2 * sum(block in whole for block in layout.blocks) < len(layout.blocks)


def items(
    rows: Iterator[Numbered], layout: Layout, problem_of: Callable[[int, Cells], RowProblem | None]
) -> Iterator[SourceRow | RowProblem]:
    """The rows of a sheet, one per item, in order. Cells that several items share say the same for each of them.

    problem_of: what is wrong with a row by itself; then its item is not read.
    """
    shared = _Shared(layout)
    for block, group in _grouped(rows, layout.blocks):
        filled = [(number, shared.fill(number, cells)) for number, cells in group]
        problem = next((found for row in group if (found := problem_of(*row))), None)
        if problem:
            yield problem
        elif len(group) > MAX_ROWS or any(number in layout.wrong for number, _cells in group):
            yield _problem(layout, block, filled)
        elif len(group) == 1:
            yield SourceRow(block[0], _values(layout, group, filled))
        else:
            yield from _items_of(layout, block, group, filled)


class _Shared:
    """What stands in the merged cells that reach into a row from above."""

    def __init__(self, layout: Layout) -> None:
        self._ends = {column: dict(spans) for column, spans in layout.down.items()}
        self._open: dict[int, tuple[int, str]] = {}  # column -> last row, text

    def fill(self, number: int, cells: Cells) -> Cells:
        """The cells of a row, with the texts of merged cells that cover it."""
        filled = dict(cells)
        for column, ends in self._ends.items():
            if number in ends:
                self._open[column] = ends[number], cells.get(column, "")
            last, text = self._open.get(column, (0, ""))
            if number <= last and text:
                filled[column] = text
        return filled


def _grouped(rows: Iterator[Numbered], blocks: Sequence[Interval]) -> Iterator[tuple[Interval, list[Numbered]]]:
    """Rows by the block that they lie in; others alone. Of a long block, the first MAX_ROWS + 1 rows."""
    following = iter([*blocks, (_LAST, _LAST)])
    block = next(following)
    group: list[Numbered] = []
    for number, cells in rows:
        if group and number > block[1]:
            yield block, group
            group = []
        while number > block[1]:
            block = next(following)
        if number < block[0]:
            yield (number, number), [(number, cells)]
        elif len(group) <= MAX_ROWS:
            group.append((number, cells))
    if group:
        yield block, group


def _items_of(
    layout: Layout, block: Interval, group: list[Numbered], filled: list[Numbered]
) -> Iterator[SourceRow | RowProblem]:
    """The items of a block: one, or one for each answer where the block has several and every row belongs to one."""
    spans = _answer_spans(layout, block, group)
    if spans is None:
        yield _problem(layout, block, filled)
        return
    for first, last in spans:
        own = [at for at, (number, _cells) in enumerate(group) if first <= number <= last]
        yield SourceRow(first, _values(layout, [group[at] for at in own], [filled[at] for at in own]))


def _answer_spans(layout: Layout, block: Interval, group: list[Numbered]) -> list[Interval] | None:
    """The rows of each answer in a block; None where merged cells do not line up with them."""
    inside = [span for spans in layout.down.values() for span in _within(spans, block)]
    ends = dict(_within(layout.down.get(layout.answer, []), block))
    starts = [number for number, cells in group if cells.get(layout.answer, "").strip()]
    spans = [(number, ends.get(number, number)) for number in starts]
    if len(spans) < 2:
        spans = [block]
    touching = all(after[0] == before[1] + 1 for before, after in pairwise(spans))
    whole = touching and (spans[0][0], spans[-1][1]) == block
    return spans if whole and not any(_cross(span, merge) for span in spans for merge in inside) else None


def _within(spans: Sequence[Interval], block: Interval) -> Sequence[Interval]:
    """Those of these spans, which are in order, that begin in a block."""
    return spans[bisect_left(spans, (block[0], 0)) : bisect_right(spans, (block[1], _LAST))]


def _cross(one: Interval, other: Interval) -> bool:
    """Whether two runs of rows overlap and neither holds the other."""
    return one[0] < other[0] <= one[1] < other[1] or other[0] < one[0] <= other[1] < one[1]


def _values(layout: Layout, own: list[Numbered], filled: list[Numbered]) -> Row:
    """What an item says: one text per column, or a list of texts where the column has one per row."""
    values: Row = {}
    for column, name in enumerate(layout.columns, start=1):
        texts = [text for _number, cells in own if (text := cells.get(column, "")).strip()]
        if not texts:  # the merged cell that covers the item may begin above it
            texts = [text for text in [filled[0][1].get(column, "")] if text.strip()]
        if column in layout.lists:
            values[name] = texts
        else:
            values[name] = texts if len(set(texts)) > 1 else "".join(texts[:1])
    return values


def _problem(layout: Layout, block: Interval, filled: Sequence[Numbered]) -> RowProblem:
    first = filled[0][1]
    values = {name: first.get(column, "") for column, name in enumerate(layout.columns, start=1)}
    return row_problem(block[0], "merged_cells", values=values)
