"""What the bench's vendor answers ragas and deepeval: their faithfulness metrics, in the forms they ask for.

Their requests are told by the fields of the schema they carry (deepeval; ragas through instructor), or by the words
that stand before their input (ragas through LangChain).
"""

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_SENTENCE = re.compile(r"[^.。]+[.。]?")
_RAGAS_INPUT = "Now perform the same with the following input"


def peer_answer(request: Mapping[str, Any], user: str) -> str | None:
    """The JSON text of a reply to a peer's request, None when it is none. user: its messages' text."""
    fields = frozenset(_schema(request).get("properties", ()))
    if _RAGAS_INPUT in user:
        return json.dumps({"statements": _ragas(user)}, ensure_ascii=False)
    for field, read in _DEEPEVAL.items():
        if fields == {field}:
            return json.dumps({field: read(user)}, ensure_ascii=False)
    return None


def _schema(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON schema of the asked reply: of the response format, or of the one tool."""
    wanted = (request.get("response_format") or {}).get("json_schema")
    if wanted:
        return wanted.get("schema") or {}
    tools = request.get("tools") or ()
    return tools[0]["function"].get("parameters") or {} if tools else {}


def _ragas(user: str) -> list[Any]:
    """Statements of an answer, or a verdict for each statement."""
    given, _ = json.JSONDecoder().raw_decode(user, user.index("{", user.rindex(_RAGAS_INPUT)))
    if "statements" not in given:
        return _sentences(given["answer"])
    return [
        {"statement": said, "reason": "The context says so.", "verdict": int(_bare(said) in given["context"])}
        for said in given["statements"]
    ]


def _truths(user: str) -> list[str]:
    return list(dict.fromkeys(_sentences(_between(user, "\nText:\n"))))


def _claims(user: str) -> list[str]:
    return _sentences(_between(user, "\nAI Output:\n"))


def _verdicts(user: str) -> list[dict[str, Any]]:
    contexts, _, claims = _between(user, "\nRetrieval Contexts:\n").rpartition("\n\nClaims:\n")
    return [
        {"verdict": "yes" if _bare(claim) in contexts else "borderline", "reason": "No context speaks of it."}
        for claim in ast.literal_eval(claims.strip())
    ]


def _reason(_: str) -> str:
    return "The score is what it is because the contexts hold most of the claims."


_DEEPEVAL: Mapping[str, Callable[[str], Any]] = {
    "truths": _truths,
    "claims": _claims,
    "verdicts": _verdicts,
    "reason": _reason,
}


def _between(user: str, heading: str) -> str:
    """What stands between the last heading and the word that asks for JSON."""
    start = user.rindex(heading) + len(heading)
    return user[start : user.rindex("\n\nJSON:")]


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


def _bare(sentence: str) -> str:
    return sentence.strip().rstrip(".。")
