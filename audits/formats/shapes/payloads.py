"""Question and answer inside what an application logged as its input and output."""

import json
from typing import Any, NamedTuple

from audits.formats.cells import is_missing
from audits.formats.nested import decoded
from audits.formats.shapes.chats import content_text, last_of, message_of, messages_in
from audits.formats.shapes.names import plain, plain_names

QUESTIONS = plain_names(
    """
    question user_question query user_query sys.query query_str user_input user_message human_input input prompt
    instruction search_query message text content 问题 用户问题 提问 query_text problem_text question_text
    customer_question request 用户提问 提问内容
    """
)
ANSWERS = plain_names(
    """
    answer final_answer answers response actual_output model_answer generated_answer output_text output generated_text
    answer_text generation completion reply replies rag_answer rag_response llm_answer llm_response model_output
    model_response generated_response predicted_answer ai_answer bot_answer agent_answer assistant_answer
    system_answer result text content message value 回答 答案 模型回答 系统回答 模型输出 回复
    """
)
_INSIDE_QUESTION = plain_names("inputs input messages prompts chat_history args kwargs value data body")
_INSIDE_ANSWER = plain_names("outputs output choices generations messages return_values data kwargs delta body parts")
_LEVELS = 8


class _Side(NamedTuple):
    role: str
    names: tuple[str, ...]  # plain names of texts, then of what holds them


_USER = _Side("user", QUESTIONS + _INSIDE_QUESTION)
_ASSISTANT = _Side("assistant", ANSWERS + _INSIDE_ANSWER)


def question_in(value: Any, *, sure: bool = False) -> str:
    """The question in an input, "" when none is found. Of a conversation, what the user said last.

    sure: only where a name says so; otherwise also the only text of an object.
    """
    return _find(value, _USER, sure, 0)


def answer_in(value: Any, *, sure: bool = False) -> str:
    """The answer in an output, "" when none is found. Of a conversation, what the assistant said last."""
    return _find(value, _ASSISTANT, sure, 0)


def unquoted(text: str) -> str:
    """The text that a JSON string writes out (with its quotation marks), else the text itself."""
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] + stripped[-1] != '""':
        return text
    try:
        found = json.loads(stripped)
    except ValueError:
        return text
    return found if isinstance(found, str) else text


def _find(value: Any, side: _Side, sure: bool, level: int) -> str:
    if level > _LEVELS or is_missing(value):
        return ""
    if isinstance(value, str):
        inner = decoded(value)
        found = "" if inner is value else _find(inner, side, True, level + 1)
        return found or unquoted(value)
    if isinstance(value, list):
        return _in_list(value, side, sure, level)
    if not isinstance(value, dict):
        return "" if isinstance(value, bool) else str(value)
    message = message_of(value)
    if message and message.role == side.role and message.text.strip():
        return message.text
    by_name = {plain(name): inner for name, inner in value.items()}
    for name in side.names:
        if name in by_name and (found := _find(by_name[name], side, sure, level + 1)):
            return found
    only = [inner for inner in value.values() if not is_missing(inner)]
    return _find(only[0], side, sure, level + 1) if len(only) == 1 and not sure else ""


def _in_list(value: list[Any], side: _Side, sure: bool, level: int) -> str:
    if messages := messages_in(value):
        return last_of(messages, side.role)
    some = [message for part in value if isinstance(part, dict) and (message := message_of(part))]
    if text := last_of(some, side.role):  # among calls of tools
        return text
    if len(value) == 1:
        return _find(value[0], side, sure, level + 1)
    if all(isinstance(part, dict) and "type" in part for part in value):
        return content_text(value)
    return ""
