"""Whether the cells of a file seem to hold several contexts each: obeyed only where no prose can look so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, SourceRow
from audits.formats.messages import notice
from audits.formats.paths import lookup
from audits.formats.splitting import split, suggest, sure_separator
from audits.formats.written import NotWritten, listed


def guess_split(rows: Sequence[SourceRow], mapping: Mapping[str, Any]) -> tuple[str, Notice | None]:
    """(mapping["split"], what to say of it): a separator that never occurs in prose is obeyed, all else is asked.

    ("", a notice "joined_contexts" or "unsplit_contexts") where a person may want the cells split.
    """
    if _are_bare_lists(rows, mapping):
        return "", notice("bare_lists")
    texts = list(plain_contexts(rows, mapping))
    if separator := sure_separator(texts):
        count = sum(len(split(text, separator)) > 1 for text in texts)
        return separator, notice("contexts_split", separator=shown(separator), count=count)
    suggested = suggest(texts)
    if "|" in suggested or any("|" in text and not text.lstrip().startswith("|") for text in texts):
        return "", notice("joined_contexts")
    return "", notice("unsplit_contexts") if suggested else None


def _are_bare_lists(rows: Sequence[SourceRow], mapping: Mapping[str, Any]) -> bool:
    """Whether most contexts stand in brackets, [one, another], and are no list that can be read."""
    column = mapping.get("contexts")
    values = (lookup(row.values, column) for row in rows) if isinstance(column, str) else ()
    texts = [value.strip() for value in values if isinstance(value, str) and value.strip()]
    return sum(_is_bare_list(text) for text in texts) * 2 > len(texts)


def _is_bare_list(text: str) -> bool:
    try:
        return text[0] + text[-1] == "[]" and isinstance(listed(text), str)
    except NotWritten:
        return False  # a problem of its row


def plain_contexts(rows: Iterable[SourceRow], mapping: Mapping[str, Any]) -> Iterator[str]:
    """The contexts' cells that are plain texts, which "split" is about; none where several columns hold them."""
    chosen = mapping.get("contexts") or []
    columns = [chosen] if isinstance(chosen, str) else list(chosen)
    for row in rows if len(columns) == 1 else ():
        value = lookup(row.values, columns[0])
        if isinstance(value, str) and not value.lstrip().startswith("["):
            yield value.replace("\r\n", "\n").replace("\r", "\n")


def suggested_split(rows: Sequence[SourceRow], mapping: Mapping[str, Any]) -> str:
    """What a page proposes for mapping["split"], "" for nothing."""
    return suggest(plain_contexts(rows, mapping))


def shown(separator: str) -> str:
    """A separator as a page shows it."""
    return "".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in separator)
