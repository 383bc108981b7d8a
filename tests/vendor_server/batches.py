"""The fake vendor's batches in both protocols: OpenAI's files and batches, Anthropic's message batches.

Each request of a batch meets the same rules as a single call: a status makes its result an error, other faults spoil
the reply. Faults that only results have: expired, canceled, missing, twice, broken (the line is no JSON); with
"in_output" an OpenAI error stands among the good results, as a 429 may.

The script's part "batches" is {"plan": {...}, "faults": [...]}:
  plan:   polls (looks that still find it at work), end ("ended" | "expired" | "failed"), error (why it failed),
          answered (how many get a result before it expires or is cancelled), order ("reverse")
  faults: {"on": "upload" | "create" | "look" | "list" | "results" | "cancel" | "delete", "times": 1, and one of
          "status" (with error), "fault": reset (nothing was done), lost (done, but the answer never arrives),
          cut (results end in the middle), hang}
"""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.vendor_server.reading import Request, read_request
from tests.vendor_server.replies import body_of, error_of

if TYPE_CHECKING:
    from tests.vendor_server.server import Script

DAY = 24 * 3600
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
UNASKED = {"expired": "batch_expired", "canceled": "batch_cancelled"}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Batch:
    """One batch. lines: the requests as they were handed over. results: made when it ends."""

    id: str
    vendor: str
    lines: list[dict[str, Any]]
    plan: dict[str, Any]
    headers: dict[str, str]
    metadata: dict[str, str] = field(default_factory=dict)
    input_file: str = ""
    files: dict[str, str] = field(default_factory=dict)  # "output" | "error" -> OpenAI's file of results
    created: float = field(default_factory=time.time)
    looks: int = 0
    cancelling: bool = False
    end: str = ""  # "" | ended | expired | cancelled | failed
    outcomes: list[str] = field(default_factory=list)  # of each line: ok | errored | expired | canceled
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Batches:
    """All batches of this vendor, oldest first."""

    def __init__(self, script: "Script") -> None:
        self._script = script
        self.reset()

    def reset(self) -> None:
        """Forget everything, the script's part as well."""
        self.all: dict[str, Batch] = {}
        self.files: dict[str, bytes] = {}
        self.log: list[str] = []  # what was asked for: "create", "look" …
        self.asked: list[dict[str, Any]] = []  # the requests within batches, as the log of single calls shows them
        self.load({})

    def load(self, script: dict[str, Any]) -> None:
        """Take the script's part."""
        self.plan: dict[str, Any] = dict(script.get("plan", {}))
        self.faults = [dict(rule) for rule in script.get("faults", [])]

    def forget(self) -> None:
        """As if none had ever been handed over."""
        self.all.clear()
        self.files.clear()

    def add_routes(self, app: web.Application) -> None:
        """The addresses of both protocols."""
        for prefix in ("/v1", ""):
            app.router.add_post(f"{prefix}/files", self._on("upload", self._upload))
            app.router.add_get(f"{prefix}/files/{{id}}/content", self._on("results", self._content))
            app.router.add_delete(f"{prefix}/files/{{id}}", self._on("delete", self._delete_file))
            self._add(app, f"{prefix}/batches", self._create_openai)
        self._add(app, "/v1/messages/batches", self._create_anthropic)
        app.router.add_get("/v1/messages/batches/{id}/results", self._on("results", self._results))
        app.router.add_delete("/v1/messages/batches/{id}", self._on("delete", self._delete))

    def _add(self, app: web.Application, path: str, create: Handler) -> None:
        app.router.add_post(path, self._on("create", create))
        app.router.add_get(path, self._on("list", self._list))
        app.router.add_get(f"{path}/{{id}}", self._on("look", self._look))
        app.router.add_post(f"{path}/{{id}}/cancel", self._on("cancel", self._cancel))

    def _on(self, name: str, handler: Handler) -> Handler:
        """The handler with what the script wants to happen there."""

        async def wrapped(http: web.Request) -> web.StreamResponse:
            with self._script.changed:
                self.log.append(name)
                self._script.changed.notify_all()
            fault = self._fault(name)
            if "status" in fault:
                return web.json_response(error_of(_vendor(http), fault), status=fault["status"])
            kind = fault.get("fault", "")
            if kind == "hang":
                await asyncio.sleep(30)  # until the caller has gone
            if kind in ("", "lost", "cut"):
                response = await handler(http)
            if kind == "cut":
                return await _half(http, response)
            if kind and http.transport is not None:
                http.transport.abort()
            return response if not kind else web.Response()

        return wrapped

    def _fault(self, name: str) -> dict[str, Any]:
        for rule in self.faults:
            if rule["on"] == name and rule.get("times", 1) > 0:
                rule["times"] = rule.get("times", 1) - 1
                return rule
        return {}

    # OpenAI's files

    async def _upload(self, http: web.Request) -> web.StreamResponse:
        form = await http.post()
        file = form["file"]
        assert isinstance(file, web.FileField), "a file is sent as a file"
        assert form["purpose"] == "batch"
        name = self._store(file.file.read())
        return web.json_response({"id": name, "object": "file", "purpose": "batch", "filename": file.filename})

    def _store(self, content: bytes) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return name

    async def _content(self, http: web.Request) -> web.StreamResponse:
        content = self.files.get(http.match_info["id"])
        return (
            _missing(http) if content is None else web.Response(body=content, content_type="application/octet-stream")
        )

    async def _delete_file(self, http: web.Request) -> web.StreamResponse:
        gone = self.files.pop(http.match_info["id"], None)
        return _missing(http) if gone is None else web.json_response({"deleted": True})

    # Batches

    async def _create_openai(self, http: web.Request) -> web.StreamResponse:
        body = await http.json()
        content = self.files.get(body["input_file_id"])
        if content is None:
            return _missing(http)
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in content.decode().splitlines() if line]
        assert all((line["method"], line["url"]) == ("POST", body["endpoint"]) for line in lines)
        batch = self._new("openai", "batch_", lines, http)
        batch.input_file, batch.metadata = body["input_file_id"], body.get("metadata") or {}
        return web.json_response(self._shown(batch))

    async def _create_anthropic(self, http: web.Request) -> web.StreamResponse:
        lines = (await http.json())["requests"]
        names = [line["custom_id"] for line in lines]
        if len(set(names)) < len(names) or not all(re.fullmatch(r"[\w-]{1,64}", name, re.ASCII) for name in names):
            error = {"type": "invalid_request_error", "message": "custom_id: must be unique and plain"}
            return web.json_response(error_of("anthropic", {"status": 400, "error": error}), status=400)
        return web.json_response(self._shown(self._new("anthropic", "msgbatch_", lines, http)))

    def _new(self, vendor: str, prefix: str, lines: list[dict[str, Any]], http: web.Request) -> Batch:
        headers = {name.lower(): value for name, value in http.headers.items()}
        batch = Batch(f"{prefix}{len(self.all) + 1}", vendor, lines, dict(self.plan), headers)
        self.all[batch.id] = batch
        for line in lines:
            self.asked.append({**self._read(batch, line).logged(), "custom_id": line["custom_id"], "batch": batch.id})
        return batch

    async def _look(self, http: web.Request) -> web.StreamResponse:
        batch = self._found(http)
        if batch is None:
            return _missing(http)
        batch.looks += 1
        if not batch.end and (batch.cancelling or batch.looks > batch.plan.get("polls", 0)):
            self._finish(batch)
        return web.json_response(self._shown(batch))

    async def _list(self, http: web.Request) -> web.StreamResponse:
        vendor, limit = _vendor(http), int(http.query.get("limit", 20))
        found = [batch for batch in reversed(self.all.values()) if batch.vendor == vendor]
        after = http.query.get("after") or http.query.get("after_id")
        start = next((at + 1 for at, batch in enumerate(found) if batch.id == after), 0)
        page = found[start : start + limit]
        shown = [self._shown(batch) for batch in page]
        return web.json_response({"data": shown, "has_more": start + limit < len(found)})

    async def _cancel(self, http: web.Request) -> web.StreamResponse:
        batch = self._found(http)
        if batch is None:
            return _missing(http)
        if batch.end:
            error = {"message": f"Cannot cancel a batch that is {batch.end}.", "type": "invalid_request_error"}
            return web.json_response(error_of(batch.vendor, {"status": 409, "error": error}), status=409)
        batch.cancelling = True
        return web.json_response(self._shown(batch))

    async def _results(self, http: web.Request) -> web.StreamResponse:
        batch = self._found(http)
        if batch is None or not batch.end:
            return _missing(http)
        return web.Response(text="\n".join(batch.output) + "\n", content_type="application/x-jsonl")

    async def _delete(self, http: web.Request) -> web.StreamResponse:
        gone = self.all.pop(http.match_info["id"], None)
        return _missing(http) if gone is None else web.json_response({"type": "message_batch_deleted"})

    def _found(self, http: web.Request) -> Batch | None:
        batch = self.all.get(http.match_info["id"])
        return batch if batch is not None and batch.vendor == _vendor(http) else None

    # Results

    def _read(self, batch: Batch, line: dict[str, Any]) -> Request:
        body, path = (line["body"], line["url"]) if batch.vendor == "openai" else (line["params"], "/v1/messages")
        return read_request(batch.vendor, path, body, batch.headers)

    def _finish(self, batch: Batch) -> None:
        batch.end = "cancelled" if batch.cancelling else batch.plan.get("end", "ended")
        if batch.end == "failed":
            return
        answered = batch.plan.get("answered", 0 if batch.cancelling else len(batch.lines))
        late = "canceled" if batch.cancelling else "expired"
        for number, line in enumerate(batch.lines):
            rule = {"fault": late} if number >= answered else self._script.rule_for(self._read(batch, line))
            self._settle(batch, line, rule)
        if batch.plan.get("order") == "reverse":
            batch.output.reverse()
        if batch.vendor == "openai":
            self._store_results(batch)

    def _store_results(self, batch: Batch) -> None:
        for kind, lines in (("output", batch.output), ("error", batch.errors)):
            if lines:
                batch.files[kind] = self._store(("\n".join(lines) + "\n").encode())

    def _settle(self, batch: Batch, line: dict[str, Any], rule: dict[str, Any]) -> None:
        fault = rule.get("fault", "")
        batch.outcomes.append(fault if fault in UNASKED else "errored" if "status" in rule else "ok")
        if fault == "missing":
            return
        request = self._read(batch, line)
        make = self._openai_result if batch.vendor == "openai" else self._anthropic_result
        result = json.dumps({"custom_id": line["custom_id"], **make(request, rule)}, ensure_ascii=False)
        bad = batch.outcomes[-1] != "ok" and batch.vendor == "openai" and not rule.get("in_output")
        lines = batch.errors if bad else batch.output
        lines += [result[:-20] if fault == "broken" else result] * (2 if fault == "twice" else 1)

    def _openai_result(self, request: Request, rule: dict[str, Any]) -> dict[str, Any]:
        code = UNASKED.get(rule.get("fault", ""))
        if code is not None:
            return {"id": "batch_req_1", "response": None, "error": {"code": code, "message": "Not executed."}}
        status = rule.get("status", 200)
        body = error_of("openai", rule) if status != 200 else body_of(request, rule, self._script.labels)
        response = {"status_code": status, "request_id": "req_in_batch", "body": body}
        return {"id": "batch_req_1", "response": response, "error": None}

    def _anthropic_result(self, request: Request, rule: dict[str, Any]) -> dict[str, Any]:
        if rule.get("fault") in UNASKED:
            return {"result": {"type": rule["fault"]}}
        if "status" in rule:
            body = error_of("anthropic", rule)
            kind = ERROR_TYPES.get(rule["status"], "api_error")
            error = {**body, "error": {"type": kind, **{k: v for k, v in body["error"].items() if k != "type"}}}
            return {"result": {"type": "errored", "error": {**error, "request_id": "req_in_batch"}}}
        return {"result": {"type": "succeeded", "message": body_of(request, rule, self._script.labels)}}

    # How a batch is shown

    def _shown(self, batch: Batch) -> dict[str, Any]:
        done, bad = batch.outcomes.count("ok"), len(batch.outcomes) - batch.outcomes.count("ok")
        if batch.vendor == "anthropic":
            return _message_batch(batch)
        status = batch.end.replace("ended", "completed") or ("cancelling" if batch.cancelling else "in_progress")
        failed = {"errors": {"object": "list", "data": [batch.plan.get("error", {})]}} if status == "failed" else {}
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": status,
            "output_file_id": batch.files.get("output"),
            "error_file_id": batch.files.get("error"),
            "created_at": int(batch.created),
            "expires_at": int(batch.created) + DAY,
            "request_counts": {
                "total": len(batch.lines),
                "completed": done if batch.end else min(batch.looks, len(batch.lines)),
                "failed": bad,
            },
            "metadata": batch.metadata,
            **failed,
        }


def _message_batch(batch: Batch) -> dict[str, Any]:
    names = {"ok": "succeeded", "errored": "errored", "canceled": "canceled", "expired": "expired"}
    counts = {name: batch.outcomes.count(kind) for kind, name in names.items()}
    status = "ended" if batch.end else "canceling" if batch.cancelling else "in_progress"
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": status,
        "request_counts": {"processing": len(batch.lines) - len(batch.outcomes), **counts},
        "created_at": _stamp(batch.created),
        "expires_at": _stamp(batch.created + DAY),
        "results_url": "http://127.0.0.1:1/never" if batch.end else None,  # a client that follows it goes astray
    }


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _vendor(http: web.Request) -> str:
    return "anthropic" if "/messages/" in http.path else "openai"


def _missing(http: web.Request) -> web.Response:
    error = {"type": "not_found_error", "message": f"Nothing is known of {http.path.rsplit('/', 1)[-1]}."}
    return web.json_response(error_of(_vendor(http), {"status": 404, "error": error}), status=404)


async def _half(http: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Send half of a body and break the connection."""
    body = response.body if isinstance(response, web.Response) else b""
    assert isinstance(body, bytes)
    cut = web.StreamResponse(headers={"Content-Length": str(len(body))})
    await cut.prepare(http)
    await cut.write(body[: len(body) // 2])
    if http.transport is not None:
        await asyncio.sleep(0)
        http.transport.close()
    return cut
