"""Judges behind OpenAI's Chat Completions, at OpenAI itself and at every compatible address."""

from collections.abc import Mapping, Sequence
from typing import Any

import openai

from audits.judges import VENDORS, Vendor
from audits.judges.base import Fault, JudgeError, JudgeSpec, Prompt, Reply, Usage
from audits.judges.chat import refuse_reserved
from audits.judges.cleaning import clean
from audits.judges.openai_batches import OpenAIBatches
from audits.judges.options import Options
from audits.judges.wire import Answered, client_options, whole

RESERVED = frozenset({"model", "messages", "stream", "response_format"})
TOKEN_PARAMS = ("max_completion_tokens", "max_tokens")
FINISH = {"length": "length", "content_filter": "refusal", "refusal": "refusal"}


def build(spec: JudgeSpec) -> "OpenAIJudge":
    """A judge from a resolved spec (address and key filled in). Raises JudgeError (CONFIG) on a parameter of ours."""
    refuse_reserved(spec, RESERVED)
    return OpenAIJudge(spec, VENDORS[spec.vendor])


class OpenAIJudge(OpenAIBatches):
    """One model at one address."""

    path = "/chat/completions"
    stream_cls = openai.AsyncStream[Any]

    def __init__(self, spec: JudgeSpec, vendor: Vendor) -> None:
        # Placeholders: the values that belong to one call are filled in by _body.
        tokens = [{vendor.token_param: 0}, *({name: 0} for name in TOKEN_PARAMS if name != vendor.token_param), {}]
        forms: list[dict[str, Any]] = [{"response_format": {"type": "json_object"}}, {}]
        if vendor.structured == "json_schema":
            forms.insert(0, {"response_format": {"type": "json_schema"}})
        groups: dict[str, Sequence[Mapping[str, Any]]] = {"tokens": tokens, "format": forms}
        for name, value in {**vendor.body, **spec.params}.items():
            groups[name] = [{name: value}, {}]
        super().__init__(spec, Options(groups, {"format": ("json_schema", "json_object")}))

    def _new_client(self, *, bulk: bool = False) -> openai.AsyncOpenAI:
        # Organisation and project from the environment belong to OpenAI's own address only.
        elsewhere: dict[str, Any] = (
            {}
            if self.spec.vendor == "openai"
            else {"default_headers": {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}}
        )
        return openai.AsyncOpenAI(
            api_key=self.spec.api_key or "none",
            base_url=self.spec.base_url,
            max_retries=0,
            timeout=self.spec.timeout,
            http_client=openai.DefaultAioHttpClient(**client_options(self.spec, bulk=bulk)),
            **elsewhere,
        )

    def _body(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.spec.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            **self._options.body(),
        }
        for name in TOKEN_PARAMS:
            if name in body and name not in self.spec.params:
                body[name] = max_tokens
        if body.get("response_format", {}).get("type") == "json_schema":
            schema = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _reply(self, answered: Answered) -> Reply:
        body, usage = answered.body, _usage(answered.body.get("usage"))

        def broken(fault: Fault, message: str) -> JudgeError:
            return JudgeError(
                fault, message, status=200, request_id=answered.request_id, usage=usage, latency=answered.latency
            )

        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise broken(Fault.BAD_BODY, "The answer holds no message.")
        finish = choice.get("finish_reason")
        if finish == "insufficient_system_resource":  # DeepSeek
            raise broken(Fault.OVERLOADED, "The vendor ran out of resources while answering.")
        if finish == "error":  # gateways
            raise broken(Fault.SERVER, "The vendor failed while answering.")
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
        refused = bool(refusal) and not text.strip()
        return Reply(
            text=clean(refusal if refused else text),
            model=clean(str(body.get("model") or self.spec.model))[:200],
            finish="refusal" if refused else FINISH.get(str(finish), "stop"),
            usage=usage,
            request_id=answered.request_id or clean(str(body.get("id") or ""))[:200],
            latency=answered.latency,
            notes=self._options.notes,
        )


def _text(content: Any) -> str:
    """A message's content: text, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return ""


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = whole(details.get("cached_tokens"))
    return Usage(
        tokens_in=whole(usage.get("prompt_tokens")),
        tokens_out=whole(usage.get("completion_tokens")),
        cache_read=cached if cached is not None else whole(usage.get("prompt_cache_hit_tokens")),  # DeepSeek's name
        cache_write=whole(details.get("cache_write_tokens")),
    )
