"""Whether the cells of a file seem to hold several contexts each: obeyed only where no prose can look so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, SourceRow
from audits.formats.messages import notice
from audits.formats.paths import lookup
from audits.formats.splitting import split, suggest, sure_separator


def guess_split(rows: Sequence[SourceRow], mapping: Mapping[str, Any]) -> tuple[str, Notice | None]:
    """(mapping["split"], what to say of it): a separator that never occurs in prose is obeyed, all else is asked.

    ("", a notice "joined_contexts" or "unsplit_contexts") where a person may want the cells split.
    """
    texts = list(plain_contexts(rows, mapping))
    if separator := sure_separator(texts):
        count = sum(len(split(text, separator)) > 1 for text in texts)
        return separator, notice("contexts_split", separator=shown(separator), count=count)
    suggested = suggest(texts)
    if "|" in suggested or any("|" in text and not text.lstrip().startswith("|") for text in texts):
        return "", notice("joined_contexts")
    return "", notice("unsplit_contexts") if suggested else None


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
