"""XLSX workbooks: which sheet, which header, and one row per item, with what a person sees in the cells."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from audits.formats.base import Notice, Options, RowProblem, SourceRow
from audits.formats.cells import MAX_TEXT
from audits.formats.header import SAMPLE, column_names, numbered_names
from audits.formats.merged import items, layout_of
from audits.formats.messages import file_error, notice, row_problem
from audits.formats.roles import MAX_COLUMNS, guess_mapping
from audits.formats.scan import Range, scan_sheet
from audits.formats.second_header import names_again
from audits.formats.sheet_header import SheetHeader, find_sheet_header
from audits.formats.workbook import Cells, Sheet, Workbook

_FIRST = 5_000  # rows in which a sheet has to begin
_MOST_SHEETS = 100  # whose first rows are compared
_MOST_SHOWN = 10_000  # code points of a cell
_MOST_NAMED = 20  # rows that a notice lists
Numbered = tuple[int, Cells]


class ExcelReader:
    """The visible sheet whose header is known best, or the one chosen. Rows have the sheet's own numbers."""

    name = "xlsx"
    encoding: str | None = None
    delimiter: str | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when the workbook is damaged, hostile or empty."""
        self._book = Workbook(path)
        heads = {sheet: rows for sheet in self._book.sheets[:_MOST_SHEETS] if (rows := self._head(sheet))}
        ordered = sorted(heads, key=lambda sheet: not sheet.visible)
        self.sheets = tuple(sheet.title for sheet in ordered)
        self._chosen = self._choose(heads, options.sheet)
        self.sheet: str | None = self._chosen.title
        head = heads.get(self._chosen) or self._head(self._chosen)
        if not head:
            raise file_error("no_rows")
        self._scan = scan_sheet(path, self._chosen.part, MAX_COLUMNS)
        header = find_sheet_header(head, self._scan.merges, options.header)
        self._first = header.last + 1
        self.header_line: int | None = header.last or None
        self.columns = _columns(header, head)
        self._named_again = self._find_named_again(header, head)
        if any(merge.top <= header.last < merge.bottom for merge in self._near()):
            raise file_error("merged_header", line=header.last)
        self._layout = layout_of(self.columns, self._scan.merges, header.last, header.same)
        self._remarks = self._remark_rows(header)
        self.warnings = tuple(self._notices(header, ordered))
        self._reached = 0  # row

    @property
    def fraction(self) -> float | None:
        """See Reader."""
        last = self._scan.last_row
        return min(1.0, self._reached / last) if last else None

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        if not self._layout.is_plain:
            yield from items(self._data(), self._layout, self._problem_of)
            return
        names = [*enumerate(self.columns, start=1)]
        for number, cells in self._data():
            problem = self._problem_of(number, cells)
            yield problem or SourceRow(number, {name: cells.get(column, "") for column, name in names})

    def _data(self) -> Iterator[Numbered]:
        """The rows below the header that say something."""
        headings, remarks = self._layout.headings, self._remarks
        for number, cells in self._book.rows(self._chosen):
            self._reached = number
            if number == self._named_again:
                continue
            if number >= self._first and number not in remarks and number not in headings and _says(cells):
                yield number, cells

    def _problem_of(self, number: int, cells: Cells) -> RowProblem | None:
        width = len(self.columns)
        if self.header_line and cells.get(1) == self.columns[0] and self._is_header(cells):
            values = {self._name(column): text for column, text in cells.items()}
            return row_problem(number, "repeated_header", values=values)
        longest = max(map(len, cells.values()))
        if longest <= MAX_TEXT and max(cells) <= width:
            return None
        values = {self._name(column): text[:_MOST_SHOWN] for column, text in cells.items()}
        beyond = [text for column, text in sorted(cells.items()) if column > width and text.strip()]
        if beyond:
            found = max(cells)
            return row_problem(
                number, "too_many_fields", found=found, expected=width, value=" | ".join(beyond), values=values
            )
        for column, text in cells.items():
            if len(text) > MAX_TEXT:
                name = self._name(column)
                return row_problem(number, "cell_too_long", name, limit=MAX_TEXT, value=text, values=values)
        return None

    def _is_header(self, cells: Cells) -> bool:
        """Whether a row repeats the header, as below each page of a printed sheet."""
        return len(cells) > 1 and all(" ".join(text.split()) == self._name(column) for column, text in cells.items())

    def _find_named_again(self, header: SheetHeader, head: Sequence[Numbered]) -> int:
        """The row below the header that gives its names again in other words, 0 for none."""
        for number, cells in head:
            if header.last and number > header.last:
                texts = [cells.get(column, "") for column in range(1, len(self.columns) + 1)]
                other = any(text.strip() not in {"", name} for text, name in zip(texts, self.columns, strict=True))
                return number if other and names_again(self.columns, texts) else 0
        return 0

    def _near(self) -> Iterator[Range]:
        """The merged cells that touch the table."""
        return (merge for merge in self._scan.merges if merge.left <= len(self.columns))

    def _name(self, column: int) -> str:
        return self.columns[column - 1] if column <= len(self.columns) else f"column {column}"

    def _head(self, sheet: Sheet) -> list[Numbered]:
        """The first rows that say something."""
        return list(islice((row for row in islice(self._book.rows(sheet), _FIRST) if _says(row[1])), SAMPLE))

    def _choose(self, heads: Mapping[Sheet, list[Numbered]], wanted: str | None) -> Sheet:
        """The sheet to be read. Raises FormatError when there is none."""
        if wanted:
            found = next((sheet for sheet in self._book.sheets if sheet.title == wanted), None)
            if found is None:
                raise file_error("unknown_sheet", sheet=wanted[:80], sheets=", ".join(self.sheets))
            return found
        visible = [sheet for sheet in heads if sheet.visible]
        if heads and not visible:
            raise file_error("hidden_sheets_only", sheets=", ".join(self.sheets))
        if not visible:
            raise file_error("no_rows")
        known = {sheet: find_sheet_header(heads[sheet], (), None).known for sheet in visible}
        return max(visible, key=lambda sheet: known[sheet] if known[sheet] > 1 else 0)

    def _remark_rows(self, header: SheetHeader) -> frozenset[int]:
        """The last rows, where they hold one text that is no item's: alone in the first column, or merged."""
        start = next((column for column, name in enumerate(header.names, start=1) if name), 1)
        mapping, first = guess_mapping(self.columns), self._name(start)
        texts = {name for role in ("question", "answer", "contexts") for name in _listed(mapping[role])}
        found: set[int] = set()
        for number, columns in reversed(self._scan.last_rows if len(self.columns) > 1 else []):
            alone = columns == {start} and first not in texts
            merged = len(columns) == 1 and (number in self._layout.wrong or number in self._layout.headings)
            if number < self._first or (columns and not alone and not merged):
                break
            found |= {number} if columns else set()
        inside = {number for number in found if any(top <= number <= last for top, last in self._layout.blocks[-50:])}
        return frozenset(found - inside)

    def _notices(self, header: SheetHeader, ordered: Sequence[Sheet]) -> Iterator[Notice]:
        scan, others = self._scan, [sheet for sheet in ordered if sheet != self._chosen]
        hidden = [sheet.title for sheet in others if not sheet.visible]
        columns = len([column for column in scan.hidden_columns if column <= len(self.columns)])
        left_out = sorted({*self._remarks, *(first for first, _last in self._layout.headings.runs)})
        if header.skipped:
            yield notice("skipped_rows")
        if header.guessed_missing:
            yield notice("header_guessed_missing")
        if self._named_again:
            yield notice("named_again", line=self._named_again)
        if len(others) > len(hidden):
            yield notice("other_sheets")
        if hidden:
            yield notice("hidden_sheets", sheets=", ".join(hidden))
        if scan.hidden_rows or columns:
            yield notice("hidden_cells", rows=scan.hidden_rows, columns=columns)
        if left_out:
            more = " …" if len(left_out) > _MOST_NAMED else ""
            yield notice("remark_rows", rows=", ".join(map(str, left_out[:_MOST_NAMED])) + more)
        if scan.errors:
            yield notice("error_cells", count=scan.errors, cell=scan.first_error)
        if scan.formulas:
            yield notice("formulas_without_value", count=scan.formulas, cell=scan.first_formula)


def _columns(header: SheetHeader, head: Sequence[Numbered]) -> tuple[str, ...]:
    """The names of the columns. Raises FormatError when there are too many."""
    if header.last:
        return column_names(header.names)
    rows = [[cells.get(column, "") for column in range(1, max(cells) + 1)] for _number, cells in head]
    return numbered_names(rows)


def _says(cells: Cells) -> bool:
    return any(text.strip() for text in cells.values())


def _listed(column: str | list[str] | None) -> list[str]:
    return [column] if isinstance(column, str) else column or []
