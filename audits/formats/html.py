"""Tables of a web page, as reporting tools save them under an .xls name; read as a copy, see converted.py."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from audits.formats import encoding as encodings
from audits.formats.base import Options
from audits.formats.cells import MAX_TEXT
from audits.formats.columns import MAX_COLUMNS
from audits.formats.converted import MAX_ROWS, Cell, ConvertedReader, Table
from audits.formats.messages import file_error

_CHUNK = 1 << 16  # code points
_MAX_TABLES = 50
_BREAKS = {"br", "p", "div", "li"}
_MUTE = {"script", "style", "head", "template"}


class HtmlReader(ConvertedReader):
    """The table whose header is known best, or the one chosen; tables are called 1, 2, 3 …"""

    name = "html"

    def __init__(self, path: Path, options: Options) -> None:
        """options.encoding is set. Raises FormatError when no table with rows is on the page."""
        page = _Page()
        with encodings.open_text(path, options.encoding or "utf-8") as stream:
            try:
                while chunk := stream.read(_CHUNK):
                    page.feed(chunk)
                    if len(page.rawdata) > MAX_TEXT:  # a tag or comment that never ends
                        raise file_error("broken_html")
                page.close()
            except UnicodeDecodeError:
                line = encodings.first_bad_line(path, options.encoding or "utf-8")
                raise file_error("undecodable", line=line, encoding=options.encoding or "") from None
            except AssertionError:  # of the parser, on broken declarations
                raise file_error("broken_html") from None
        grids = [grid for grid in page.grids if len(grid.rows) > 1]
        if not grids:
            raise file_error("html")
        super().__init__((grid.table(f"{number}") for number, grid in enumerate(grids, start=1)), options)
        self.encoding = options.encoding


@dataclass
class _Span:
    text: str
    down: int
    right: int


@dataclass
class _Grid:
    """One table of the page while it is read."""

    rows: list[list[_Span]] = field(default_factory=list)
    parts: list[str] | None = None  # of the open cell
    down: int = 1
    right: int = 1

    def close_cell(self) -> None:
        if self.parts is None:
            return
        text = "\n".join(" ".join(line.split()) for line in "".join(self.parts).split("\n")).strip()
        if not self.rows:
            self.rows.append([])
        self.rows[-1].append(_Span(text, self.down, self.right))
        self.parts = None

    def table(self, title: str) -> Table:
        """The cells at their places, spans as merged ranges."""
        merges: list[tuple[int, int, int, int]] = []
        return Table(title, list(self._placed(merges)), merges)

    def _placed(self, merges: list[tuple[int, int, int, int]]) -> Iterator[list[Cell | None]]:
        taken: set[tuple[int, int]] = set()
        for top, spans in enumerate(self.rows, start=1):
            row: dict[int, str] = {}
            left = 1
            for span in spans:
                while (top, left) in taken:
                    left += 1
                right = min(left + span.right - 1, MAX_COLUMNS + 1)
                bottom = min(top + span.down - 1, len(self.rows))
                row[left] = span.text
                if (bottom, right) != (top, left) and left <= right:
                    merges.append((top, left, bottom, right))
                    taken |= {(down, across) for down in range(top, bottom + 1) for across in range(left, right + 1)}
                left = right + 1
            yield [Cell(row[at]) if row.get(at) else None for at in range(1, max(row, default=0) + 1)]


class _Page(HTMLParser):
    """Collects the tables; a table inside a cell is a table of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.grids: list[_Grid] = []
        self._open: list[_Grid] = []
        self._mute = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        grid = self._open[-1] if self._open else None
        if tag == "table":
            if len(self.grids) >= _MAX_TABLES:
                raise file_error("broken_html")
            self._open.append(_Grid())
            self.grids.append(self._open[-1])
        elif tag in _MUTE:
            self._mute += 1
        elif grid and tag == "tr":
            grid.close_cell()
            grid.rows.append([])
            if len(grid.rows) > MAX_ROWS:
                raise file_error("too_many_rows", limit=MAX_ROWS)
        elif grid and tag in {"td", "th"}:
            grid.close_cell()
            found = dict(attrs)
            grid.parts, grid.down, grid.right = [], _span(found.get("rowspan")), _span(found.get("colspan"))
        elif grid and grid.parts is not None and tag in _BREAKS:
            grid.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._open:
            self._open.pop().close_cell()
        elif tag in _MUTE:
            self._mute = max(0, self._mute - 1)
        elif tag in {"td", "th"} and self._open:
            self._open[-1].close_cell()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1].parts is not None and not self._mute:
            self._open[-1].parts.append(data.replace("\r\n", " ").replace("\n", " "))


def _span(value: str | None) -> int:
    """rowspan or colspan; one row or column for anything that is no sensible number."""
    return min(max(int(value), 1), 1000) if value and value.isascii() and value.isdecimal() and len(value) < 6 else 1
