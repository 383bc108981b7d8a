"""Conversations: who says what, and which turns are question and answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from audits.formats.nested import decoded
from audits.formats.shapes.names import member, plain

_ROLES = {
    "user": "user human humanmessage humanmessagechunk usermessage customer 用户 客户 提问者",
    "assistant": "assistant ai aimessage aimessagechunk apimessage bot gpt model chatbot agent 助手 ai助手 机器人",
    "system": "system systemmessage developer 系统",
    "tool": "tool function toolmessage functionmessage ipython",
}
_NO_ANSWER = {  # what Coze lets the assistant say besides its answer
    "knowledge": "tool",
    "toolresponse": "tool",
    "tooloutput": "tool",
    "functioncall": "system",
    "followup": "system",
    "verbose": "system",
}
_CONTENTS = (
    *("content", "value", "text", "parts", "data.content", "kwargs.content", "message.content", "message"),
    *("内容", "消息内容", "消息"),
)
_ROLE = {name: role for role, names in _ROLES.items() for name in names.split()}


@dataclass
class Message:
    """One turn. values: the message as the file has it."""

    role: str  # user | assistant | system | tool
    text: str
    values: dict[str, Any]


@dataclass
class Turn:
    """A question and what was answered to it. answer is None when nobody answered."""

    question: str
    answer: Message | None
    between: list[Message] = field(default_factory=list)  # tools and further texts before the answer


def messages_in(value: Any) -> list[Message]:
    """The messages of a list in which each element has a role; [] for anything else."""
    value = decoded(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]  # models take a batch of conversations
    if not isinstance(value, list) or not value:
        return []
    found = [message_of(part) for part in value]
    return [message for message in found if message] if all(found) else []


def message_of(part: Any) -> Message | None:
    """One message, None for what is none."""
    part = decoded(part)
    if not isinstance(part, dict):
        return None
    inner = member(part, "message")
    if isinstance(inner, dict) and member(part, "role") is None:
        return message_of(inner)
    role = _role(part)
    if role is None:
        return None
    if role == "assistant" and isinstance(kind := member(part, "type"), str):
        role = _NO_ANSWER.get(plain(kind), role)
    content = member(part, *_CONTENTS)
    return Message(role, content_text(content), part)


def _role(part: dict[str, Any]) -> str | None:
    for name in ("role", "obj", "from", "sender", "message.role", "author.role", "角色", "发言人", "发送者", "type"):
        said = member(part, name)
        if isinstance(said, str) and plain(said) in _ROLE:
            return _ROLE[plain(said)]
    kind = member(part, "id")  # as LangChain writes objects: ["langchain", "schema", "messages", "HumanMessage"]
    return _ROLE.get(plain(str(kind[-1]))) if isinstance(kind, list) and kind else None


def content_text(content: Any) -> str:
    """The text of a message: itself, or its parts of text joined; images and calls are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (content_text(part) if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str) and text)
    if isinstance(content, dict):
        if plain(str(member(content, "type") or "text")) not in {"text", "outputtext", "inputtext"}:
            return ""
        return content_text(member(content, "text", "content", "value"))
    return ""


def turns(messages: Iterable[Message]) -> Iterator[Turn | Message]:
    """Question and answer in pairs; an answer that nobody asked for comes as it is. System messages are passed over.

    Of several texts of the assistant, the last one before the next question is the answer.
    """
    open_turn: Turn | None = None
    for message in messages:
        if message.role == "user":
            if open_turn:
                yield open_turn
            open_turn = Turn(message.text, None)
        elif message.role == "assistant" and open_turn is None:
            if message.text.strip():
                yield message
        elif open_turn and message.role == "assistant" and (message.text.strip() or open_turn.answer is None):
            if open_turn.answer:
                open_turn.between.append(open_turn.answer)
            open_turn.answer = message
        elif open_turn and message.role == "tool":
            open_turn.between.append(message)
    if open_turn:
        yield open_turn


def last_of(messages: Iterable[Message], role: str) -> str:
    """The last text that is not blank of one role, "" when there is none."""
    return next((one.text for one in reversed([*messages]) if one.role == role and one.text.strip()), "")
