"""Judges behind Anthropic's Messages API."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import anthropic

from audits.judges.anthropic_batches import AnthropicBatches
from audits.judges.base import Fault, JudgeError, JudgeSpec, Prompt, Reply, Usage
from audits.judges.chat import refuse_reserved
from audits.judges.cleaning import clean
from audits.judges.options import Options
from audits.judges.prompting import low_tokens
from audits.judges.wire import Answered, client_options, whole

RESERVED = frozenset({"model", "messages", "system", "stream", "tools", "tool_choice"})
FINISH = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
CACHE_FROM = 4096  # tokens; below the largest minimum of any model a mark on the prefix costs more and caches nothing


def build(spec: JudgeSpec) -> "AnthropicJudge":
    """A judge from a resolved spec (address and key filled in). Raises JudgeError (CONFIG) on a parameter of ours."""
    refuse_reserved(spec, RESERVED)
    return AnthropicJudge(spec)


class AnthropicJudge(AnthropicBatches):
    """One Claude model."""

    path = "/v1/messages"
    stream_cls = anthropic.AsyncStream[Any]

    def __init__(self, spec: JudgeSpec) -> None:
        # output_config may carry the effort beside the format; a model without formats keeps its effort.
        config = dict(spec.params.get("output_config") or {})
        forms: list[dict[str, Any]] = [{"output_config": {**config, "format": {"type": "json_schema"}}}]
        if config:
            forms.append({"output_config": config})
        groups: dict[str, Sequence[Mapping[str, Any]]] = {"format": [*forms, {}]}
        for name, value in spec.params.items():
            if name != "output_config":
                groups[name] = [{name: value}, {}]
        super().__init__(spec, Options(groups, {"format": ("output_config.format", "output_format", "json_schema")}))

    def _new_client(self, *, bulk: bool = False) -> anthropic.AsyncAnthropic:
        # The SDK sends the key as a Bearer token; compatible servers elsewhere may know only the older header.
        host = urlsplit(self.spec.base_url).hostname or ""
        own = host == "anthropic.com" or host.endswith(".anthropic.com")
        return anthropic.AsyncAnthropic(
            api_key=self.spec.api_key,
            base_url=self.spec.base_url.removesuffix("/v1"),
            max_retries=0,
            timeout=self.spec.timeout,
            default_headers={} if own else {"x-api-key": self.spec.api_key},
            http_client=anthropic.DefaultAioHttpClient(**client_options(self.spec, bulk=bulk)),
        )

    def _body(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        system: Any = prompt.system
        content: Any = prompt.user
        if prompt.shared and low_tokens(prompt.system + prompt.prefix) >= CACHE_FROM:
            # One mark at the end of what all claim groups of a sample share: it covers the system text, too.
            content = [
                {"type": "text", "text": prompt.prefix, "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": prompt.suffix},
            ]
        body: dict[str, Any] = {
            "model": self.spec.model,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": content}],
            **self._options.body(),
        }
        if "format" in body.get("output_config", {}):
            form = {"type": "json_schema", "schema": prompt.schema}
            body["output_config"] = {**body["output_config"], "format": form}
        return body

    def _reply(self, answered: Answered) -> Reply:
        body, usage = answered.body, _usage(answered.body.get("usage"))
        content, stop = body.get("content"), str(body.get("stop_reason"))
        if not isinstance(content, list):
            raise JudgeError(
                Fault.BAD_BODY,
                "The answer holds no content.",
                status=200,
                request_id=answered.request_id,
                usage=usage,
                latency=answered.latency,
            )
        return Reply(
            text=clean("".join(_block_text(block) for block in content)),
            model=clean(str(body.get("model") or self.spec.model))[:200],
            finish=FINISH.get(stop, "stop"),
            usage=usage,
            request_id=answered.request_id or clean(str(body.get("id") or ""))[:200],
            latency=answered.latency,
            notes=self._options.notes,
        )


def _block_text(block: Any) -> str:
    """The text of a content block; thinking is left out, a tool's input is JSON already read."""
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "tool_use":
        return json.dumps(block.get("input"), ensure_ascii=False)
    return str(block.get("text") or "") if block.get("type") == "text" else ""


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    plain, read, write = (
        whole(usage.get(name)) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    # input_tokens excludes what went through the cache.
    total = None if plain is None else plain + (read or 0) + (write or 0)
    return Usage(tokens_in=total, tokens_out=whole(usage.get("output_tokens")), cache_read=read, cache_write=write)
