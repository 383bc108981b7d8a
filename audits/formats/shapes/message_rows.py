"""Chat logs with one message per row: who says it, what it says, and in which conversation."""

from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.grouping import MAX_PARTS, grouped
from audits.formats.shapes.base import Rows, gettext_noop
from audits.formats.shapes.chats import message_of
from audits.formats.shapes.conversations import items_of
from audits.formats.shapes.names import mostly, text_member
from audits.formats.shapes.traces import ITEM

_KEYS = (
    *("conversation_id", "session_id", "chat_id", "thread_id", "dialog_id", "dialogue_id", "conv_id", "conversation"),
    *("session", "chat", "会话ID", "对话ID", "会话编号", "对话编号", "会话", "对话"),
)


class MessageRows:
    """Rows joined by conversation; without a key, a conversation begins where the user speaks after an answer."""

    name = "message_rows"
    label = gettext_noop("a chat log with one message per row")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        found = [message for row in rows if (message := message_of(row))]
        roles = {message.role for message in found if message.text.strip()}
        return len(rows) > 1 and mostly(rows, message_of) and {"user", "assistant"} <= roles

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape. The first row tells whether there is a key."""
        first = next(rows, None)
        while isinstance(first, RowProblem):
            yield first
            first = next(rows, None)
        if first is not None:
            again = _with_first(first, rows)
            groups = grouped(again, _key, named="conversation_id") if _key(first.values) else _in_turn(again)
            for group in groups:
                yield from [group] if isinstance(group, RowProblem) else _items(group)


def _with_first(first: SourceRow, rows: Rows) -> Rows:
    yield first
    yield from rows


def _key(values: Row) -> str:
    return text_member(values, *_KEYS)


def _in_turn(rows: Rows) -> Iterator[list[SourceRow] | RowProblem]:
    """The rows from one question to the answer before the next one."""
    group: list[SourceRow] = []
    answered = False
    for row in rows:
        if isinstance(row, RowProblem):
            yield row
            continue
        message = message_of(row.values)
        role = message.role if message else ""
        if group and ((role in {"user", "system"} and answered) or len(group) >= MAX_PARTS):
            yield group
            group, answered = [], False
        group.append(row)
        answered = answered or role == "assistant"
    if group:
        yield group


def _items(group: Sequence[SourceRow]) -> Iterator[SourceRow | RowProblem]:
    messages = [message for row in group if (message := message_of(row.values))]
    return items_of(SourceRow(group[0].line, {"id": _key(group[0].values)}), set(), messages)
