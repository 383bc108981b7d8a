"""FastGPT: chats, whose turns hold what was quoted for them; logs with one turn or one answer per row."""

from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import is_missing
from audits.formats.grouping import grouped
from audits.formats.messages import row_problem
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, gettext_noop
from audits.formats.shapes.chats import Message, Turn, content_text, message_of, turns
from audits.formats.shapes.names import member, mostly, plain, text_member
from audits.formats.shapes.traces import ITEM

_OBJECTS = frozenset({"Human", "AI", "System"})
_QUOTES = frozenset({"quotelist", "totalquotelist"})
_QUESTION = ("question", "query", "q", "问题", "用户问题")
_ANSWER = ("answer", "response", "a", "回答", "AI回答", "答案")
_LEVELS = 8
_LOOKED_AT = 20  # rows in which quotes are looked for


class FastGptChats:
    """One row per chat; a chat has one item per answer."""

    name = "fastgpt"
    label = gettext_noop("a FastGPT chat log")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, lambda row: _chat_of(row)[1])

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
                continue
            name, chat = _chat_of(row.values)
            notes = {key: value for key, value in row.values.items() if key != name}
            yield from _items(row, [(row.line, message) for message in chat], notes)


class FastGptTurns:
    """One row per turn, joined by chat."""

    name = "fastgpt_turns"
    label = gettext_noop("a FastGPT log with one turn per row")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, lambda row: _is_turn(row) and text_member(row, "chatId", "chat_id"))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for group in grouped(rows, lambda values: text_member(values, "chatId", "chat_id"), named="chatId"):
            if isinstance(group, RowProblem):
                yield group
                continue
            messages = [(row.line, message_of(row.values)) for row in group]
            yield from (row_problem(line, "no_item") for line, message in messages if message is None)
            yield from _items(group[0], [(line, one) for line, one in messages if one], {})


class FastGptAnswers:
    """One row per answer, with what was quoted for it."""

    name = "fastgpt_answers"
    label = gettext_noop("a FastGPT log with one answer per row")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        asked = mostly(rows, lambda row: text_member(row, *_QUESTION))
        return asked and any(text_member(row, *_ANSWER) and quotes_in(row) for row in rows[:_LOOKED_AT])

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
                continue
            values = {
                "id": text_member(row.values, "dataId", "id", "_id", "chatId"),
                "question": text_member(row.values, *_QUESTION),
                "contexts": quotes_in(row.values),
                "answer": text_member(row.values, *_ANSWER),
            }
            yield SourceRow(row.line, values | _notes(row.values, values))


def _chat_of(values: Row) -> tuple[str, list[Message]]:
    """The column with the turns, and these; ("", []) when there is none."""
    for name, value in values.items():
        found = decoded(value)
        if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
            continue
        if found and all(_is_turn(part) for part in found):
            return name, [message for part in found if (message := message_of(part))]
        if plain(name) in {"chatdetails", "对话详情", "详情"} and (chat := _unnamed(found)):
            return name, chat
    return "", []


def _is_turn(part: Row) -> bool:
    return isinstance(said := part.get("obj"), str) and said in _OBJECTS and "value" in part


def _unnamed(parts: list[Row]) -> list[Message]:
    """The turns of an exported log, which does not say who speaks: question and answer take turns."""
    texts = [content_text(decoded(member(part, "value"))) for part in parts]
    if not parts or not all("value" in part for part in parts) or not all(texts):
        return []
    roles = ("user", "assistant")
    return [Message(roles[number % 2], text, parts[number]) for number, text in enumerate(texts)]


def _items(row: SourceRow, chat: list[tuple[int, Message]], notes: Row) -> Iterator[SourceRow | RowProblem]:
    """One row per answer; an answer that nobody asked for (a greeting) is a problem."""
    line_of = {id(message): line for line, message in chat}
    found = list(turns(message for _, message in chat))
    asked = [turn for turn in found if isinstance(turn, Turn)]
    name = text_member(row.values, "chatId", "chat_id", "id", "_id")
    for turn in found:
        if isinstance(turn, Message):
            yield row_problem(line_of[id(turn)], "no_item", value=turn.text)
            continue
        answer = turn.answer
        number = next(number for number, one in enumerate(asked, start=1) if one is turn)
        single = name if len(asked) == 1 else f"{name}#{number}"
        values = {
            "id": (text_member(answer.values, "dataId", "data_id") if answer else "") or single,
            "question": turn.question,
            "contexts": quotes_in(answer.values) if answer else [],
            "answer": answer.text if answer else "",
        }
        yield SourceRow(line_of.get(id(answer), row.line), values | _notes(notes, values))
    if not found:
        yield row_problem(row.line, "no_item", values=row.values)


def _notes(values: Row, taken: Row) -> Row:
    return {
        name: value
        for name, value in values.items()
        if name not in taken and not isinstance(decoded(value), dict | list) and not is_missing(value)
    }


def quotes_in(value: Any, level: int = 0) -> list[str]:
    """What was quoted from the knowledge base, wherever it stands in a response, each text once."""
    value = decoded(value) if level else value
    found: list[str] = []
    if level <= _LEVELS and isinstance(value, dict):
        for name, inner in value.items():
            if plain(name) in _QUOTES:
                found += _quotes(decoded(inner))
            elif not isinstance(inner, str) or inner[:1] in {"[", "{"}:
                found += quotes_in(inner, level + 1)
    elif level <= _LEVELS and isinstance(value, list):
        found = [text for part in value if isinstance(part, dict) for text in quotes_in(part, level + 1)]
    return list(dict.fromkeys(found))


def _quotes(quotes: Any) -> Iterator[str]:
    for quote in quotes if isinstance(quotes, list) else ():
        if isinstance(quote, dict):
            parts = [text_member(quote, "q", "content", "text"), text_member(quote, "a")]
            if text := "\n".join(part for part in parts if part.strip()):
                yield text
        elif isinstance(quote, str) and quote.strip():
            yield quote
