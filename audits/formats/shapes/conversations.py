"""Logs of conversations as the chat interfaces of models write them, from any tool."""

from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem
from audits.formats.nested import decoded
from audits.formats.paths import keys_of
from audits.formats.roles import guess_mapping
from audits.formats.shapes.base import Rows, gettext_noop
from audits.formats.shapes.chats import Message, Turn, messages_in, turns
from audits.formats.shapes.documents import LISTS, contexts_in, found_contexts
from audits.formats.shapes.names import column, found, member, mostly, plain, plain_names, text_member
from audits.formats.shapes.payloads import answer_in
from audits.formats.shapes.traces import ITEM

_CHATS = plain_names(
    "messages conversation conversations chat dialog dialogue turns history chat_history chat_messages contents "
    "request prompt input 对话 对话记录 聊天记录 消息 消息列表"
)
_REPLIES = ("response", "completion", "choices", "output")
_ANSWERED = ("answer", "actual_output", "model_answer", "回答", "模型回答")


class Conversations:
    """One row per conversation."""

    name = "conversations"
    label = gettext_noop("a chat log")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, _has_answer)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        contexts = {} if any(row.get("contexts") for row in rows) else _other_contexts(columns)
        return ITEM | found(columns, generator=("model",)) | contexts

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
            else:
                yield from _items(row)


def _other_contexts(columns: Sequence[str]) -> dict[str, Any]:
    """A column beside the conversation with a name for contexts, where none of its texts was found.

    None where only a list has such a name: then it is looked into, see longest.py.
    """
    guessed = guess_mapping([name for name in columns if name != "contexts" and "[" not in name])
    lists = any("[]" in name and any(plain(key) in LISTS for key in keys_of(name)) for name in columns)
    return {"contexts": guessed["contexts"]} if guessed["contexts"] or lists else {}


def _has_answer(values: Row) -> bool:
    if text_member(values, *_ANSWERED):
        return False
    roles = [message.role for message in _chat(values)[1]]
    return "user" in roles and "assistant" in roles[roles.index("user") :]


def _chat(values: Row) -> tuple[set[str], list[Message]]:
    """The columns that hold the conversation, and its messages with the reply where that stands beside them."""
    for name in _CHATS:
        key = next((key for key in values if plain(key) == name), None)
        if key is None:
            continue
        chat = decoded(values[key])
        messages = messages_in(chat) or messages_in(member(chat, "messages") if isinstance(chat, dict) else None)
        if messages and messages[-1].role in {"user", "tool"}:
            reply = column(values, *_REPLIES)
            text = answer_in(decoded(values[reply])) if reply else ""
            if reply and text:
                return {key, reply}, [*messages, Message("assistant", text, {})]
        if messages:
            return {key}, messages
    return set(), []


def _items(row: SourceRow) -> Iterator[SourceRow | RowProblem]:
    """What was retrieved beside the conversation belongs to its last answer."""
    yield from items_of(row, *_chat(row.values))


def items_of(row: SourceRow, taken: set[str], messages: list[Message]) -> Iterator[SourceRow | RowProblem]:
    """One row per answer of a conversation. taken: the columns that hold it."""
    notes = {name: value for name, value in row.values.items() if name not in taken}
    said = list(turns(messages))
    asked = [turn for turn in said if isinstance(turn, Turn)]
    yield from (row_problem(row.line, "no_item", value=one.text) for one in said if isinstance(one, Message))
    if not asked:
        if not said:
            yield row_problem(row.line, "no_item", values=row.values)
        return
    name, own = _for_each(notes, len(asked))
    own = own or [_contexts(turn) for turn in asked]
    beside = [] if any(own[:-1]) else found_contexts(notes) or _beside_reply(row.values, taken)
    notes = {key: value for key, value in notes.items() if key != name and not (beside and plain(key) in LISTS)}
    if beside:  # earlier turns are how the last question came about
        earlier = {"earlier": [one.text for one in messages if one.role in {"user", "assistant"}][:-2]}
        yield _item(row, asked[-1], beside, notes | (earlier if len(asked) > 1 else {}), "")
        return
    for number, (turn, contexts) in enumerate(zip(asked, own, strict=True), start=1):
        yield _item(row, turn, contexts, notes, f"#{number}" if len(asked) > 1 else "")


def _for_each(notes: Row, count: int) -> tuple[str, list[list[str]]]:
    """What was retrieved for each of several answers: a column beside the conversation with one element for each."""
    for name, value in notes.items() if count > 1 else ():
        parts = decoded(value)
        if isinstance(parts, list) and len(parts) == count and all(isinstance(part, dict | list) for part in parts):
            contexts = [found_contexts(part) if isinstance(part, dict) else contexts_in(part) for part in parts]
            if any(contexts):
                return name, contexts
    return "", []


def _item(row: SourceRow, turn: Turn, contexts: list[str], notes: Row, suffix: str) -> SourceRow:
    name = text_member(row.values, "id", "conversation_id", "session_id", "trace_id", "request_id", "uuid")
    values = {
        "id": name + suffix if name else "",
        "question": turn.question,
        "contexts": contexts or notes.get("contexts") or [],
        "answer": turn.answer.text if turn.answer else "",
    }
    return SourceRow(row.line, values | {key: value for key, value in notes.items() if key not in values})


def _contexts(turn: Turn) -> list[str]:
    """What a message says it was given, or what tools returned before it."""
    said = found_contexts(turn.answer.values) if turn.answer else []
    tools = (contexts_in(one.text) for one in turn.between if one.role == "tool")
    return said or [text for texts in tools for text in texts]


def _beside_reply(values: Row, taken: set[str]) -> list[str]:
    """What a reply beside the conversation was given, such as the results of a search."""
    return [text for name in taken if plain(name) in _REPLIES for text in found_contexts(decoded(values[name]))]
