"""How a file was understood, in words of the page: "Looks like a ragas export · CSV · GB18030 (likely, 85 %) · …"."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.formats.shapes import SHAPES
from audits.models import Dataset
from audits.templatetags.figures import percent_text

FORMATS = {
    "csv": gettext_lazy("table in text (CSV)"),
    "xlsx": gettext_lazy("Excel workbook"),
    "xls": gettext_lazy("Excel workbook (old format)"),
    "html": gettext_lazy("web table (HTML)"),
    "json": "JSON",
    "jsonl": "JSONL",
    "parquet": "Parquet",
}
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 (BOM)",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "utf-32": "UTF-32",
    "gb18030": "GB18030 (GBK)",
    "big5": "Big5",
    "big5hkscs": "Big5-HKSCS",
    "windows-1252": "Windows-1252",
    "iso-8859-15": "ISO-8859-15",
    "shift_jis": "Shift-JIS",
    "euc_kr": "EUC-KR",
}
DELIMITERS = {
    ",": gettext_lazy("comma ,"),
    ";": gettext_lazy("semicolon ;"),
    "\t": gettext_lazy("tab"),
    "|": gettext_lazy("bar |"),
    ":": gettext_lazy("colon :"),
    "^": gettext_lazy("caret ^"),
    "~": gettext_lazy("tilde ~"),
}
SURE = (
    (0.99, gettext_lazy("certain")),
    (0.95, gettext_lazy("almost certain")),
    (0.75, gettext_lazy("likely")),
    (0.0, gettext_lazy("a guess")),
)


def encoding_word(name: str) -> str:
    """An encoding as people write it: gb18030 -> GB18030 (GBK)."""
    return ENCODINGS.get(name, name.upper())


def delimiter_word(delimiter: str) -> str:
    """A separator that can be seen."""
    return str(DELIMITERS.get(delimiter, delimiter))


def shape_word(name: str) -> str:
    """What tool a file comes from: "a ragas export"; "" for a plain table and for a shape of an older version."""
    return _(SHAPES[name].label) if name in SHAPES else ""


def how_understood(dataset: Dataset) -> list[str]:
    """Short parts of one line: kind of export, format, encoding and how sure it is, separator, sheet, header."""
    shape = shape_word(dataset.shape)
    parts = [
        _("Looks like %(shape)s") % {"shape": shape} if shape else "",
        str(FORMATS.get(dataset.format, dataset.format.upper())),
        _encoding(dataset),
        _separated(dataset.delimiter),
        _place(dataset),
        _header(dataset),
        _("file %(name)s in the archive") % {"name": dataset.member} if dataset.member else "",
    ]
    return [part for part in parts if part]


def _encoding(dataset: Dataset) -> str:
    name = encoding_word(dataset.encoding)
    if not name or dataset.confidence is None:
        return name
    word = next(word for least, word in SURE if dataset.confidence >= least)
    if dataset.confidence >= SURE[0][0]:
        return _("%(name)s (%(sure)s)") % {"name": name, "sure": word}
    share = percent_text(round(dataset.confidence, 2), 0)
    return _("%(name)s (%(sure)s, %(percent)s)") % {"name": name, "sure": word, "percent": share}


def _separated(delimiter: str) -> str:
    if delimiter == "\t":
        return _("columns separated by tabs")
    return _("columns separated by “%(sign)s”") % {"sign": delimiter} if delimiter else ""


def _place(dataset: Dataset) -> str:
    if not dataset.sheet:
        return ""
    words = {"json": _("rows from %(name)s"), "html": _("table %(name)s")}
    return words.get(dataset.format, _("sheet %(name)s")) % {"name": dataset.sheet}


def _header(dataset: Dataset) -> str:
    if dataset.header is False:
        return _("no header: the first row is data")
    if dataset.header_line is None:
        return ""
    words = _("header in line %(line)s") if dataset.format in {"csv"} else _("header in row %(line)s")
    return words % {"line": dataset.header_line}
