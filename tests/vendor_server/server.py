"""A fake vendor over real HTTP: OpenAI's and Anthropic's protocols, every fault on request, a log of all requests.

A script is {"rules": [...], "labels": [...]}. The first rule that fits a request and is not used up is applied:
  fits:   vendor, model, purpose ("extract" | "verify"), contains (text in the user's message), times (how often),
          longer (the user's message has more characters than this)
  faults: status (with retry_after, error, html, text), fault: one of hang, reset, drip, cut, html, empty, array,
          no_choices, error_200, malformed, fenced, think, prose, two_objects, refusal, content_filter, truncated,
          cut_reply, no_usage, no_text, blank, oversized, redirect
  pause:  hold (until release() is called on the server)
  reply:  label, omit [numbers], wrong_ids, conflicting, invent_quotes, text (the reply, verbatim), latency (seconds)
          tokens_in (what the usage says; by default it grows with requests of more than 4,000 characters)
labels decide single claims: {"claim": substring, "label": ..., "model"?: ..., "quote"?: ...}; more in reading.py.
Batches have a part of their own in the script: see batches.py.
"""

import asyncio
import json
import threading
from collections import Counter
from typing import Any

from aiohttp import web

from tests.vendor_server.batches import Batches
from tests.vendor_server.reading import Request, read_request
from tests.vendor_server.replies import body_of, error_of

FITS = ("vendor", "model", "purpose")


class Script:
    """What to do, and what was done."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.gate = asyncio.Event()
        self.allowed: asyncio.Semaphore | None = None  # answers that may still be given; None: any number
        self.batches = Batches(self)
        self.reset()
        self.latency = 0.0

    def reset(self) -> None:
        self.rules: list[dict[str, Any]] = []
        self.labels: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.running: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self.batches.reset()

    def load(self, script: dict[str, Any]) -> None:
        self.rules = [dict(rule) for rule in script.get("rules", [])]
        self.labels = list(script.get("labels", []))
        self.latency = float(script.get("latency", self.latency))
        self.batches.load(script.get("batches", {}))

    def arrived(self, request: Request) -> None:
        with self.changed:
            request.number = len(self.log) + 1
            self.log.append(request.logged())
            self.changed.notify_all()

    def rule_for(self, request: Request) -> dict[str, Any]:
        for rule in self.rules:
            fits = all(name not in rule or rule[name] == getattr(request, name) for name in FITS)
            fits = fits and rule.get("contains", "") in request.user and len(request.user) > rule.get("longer", -1)
            if fits and rule.get("times", 1) > 0:
                if "times" in rule:
                    rule["times"] -= 1
                return rule
        return {}


SCRIPT = web.AppKey("script", Script)
CLOSING = web.AppKey("closing", asyncio.Event)


def make_app(script: Script) -> web.Application:
    """The application; several paths lead to each protocol because base URLs differ."""
    app = web.Application(client_max_size=64 * 1024**2)
    app[SCRIPT] = script
    app[CLOSING] = asyncio.Event()
    for path in ("/v1/chat/completions", "/chat/completions"):
        app.router.add_post(path, _openai)
    for path in ("/v1/messages", "/messages"):
        app.router.add_post(path, _anthropic)
    script.batches.add_routes(app)
    app.router.add_post("/__script__", _load)
    app.router.add_get("/__log__", _log)
    app.router.add_delete("/__log__", _reset)
    return app


async def _load(request: web.Request) -> web.Response:
    request.app[SCRIPT].load(await request.json())
    return web.json_response({"ok": True})


async def _log(request: web.Request) -> web.Response:
    script = request.app[SCRIPT]
    return web.json_response({"requests": script.log, "count": len(script.log), "peak": dict(script.peak)})


async def _reset(request: web.Request) -> web.Response:
    request.app[SCRIPT].reset()
    return web.json_response({"ok": True})


async def _openai(request: web.Request) -> web.StreamResponse:
    return await _answer(request, "openai")


async def _anthropic(request: web.Request) -> web.StreamResponse:
    return await _answer(request, "anthropic")


async def _answer(http: web.Request, vendor: str) -> web.StreamResponse:
    script: Script = http.app[SCRIPT]
    request = read_request(vendor, http.path, await http.json(), {k.lower(): v for k, v in http.headers.items()})
    script.arrived(request)
    rule = script.rule_for(request)
    script.running[request.model] += 1
    script.peak[request.model] = max(script.peak[request.model], script.running[request.model])
    try:
        if rule.get("hold"):
            await script.gate.wait()
        if script.allowed:
            await script.allowed.acquire()
        await asyncio.sleep(rule.get("latency", script.latency))
        return await _faulty(http, request, rule) or _usual(http, request, rule)
    finally:
        script.running[request.model] -= 1


async def _faulty(http: web.Request, request: Request, rule: dict[str, Any]) -> web.StreamResponse | None:
    """The answer to a rule that breaks HTTP or the protocol's envelope, None for all others."""
    if "status" in rule:
        return _status(request, rule)
    fault = rule.get("fault")
    if fault == "hang":
        await http.app[CLOSING].wait()
    if fault in ("hang", "reset"):
        if http.transport is not None:
            http.transport.abort()
        return web.Response()
    if fault in ("drip", "cut"):
        return await _piecemeal(http, fault)
    bodies = {
        "html": ("<html><body>Bad gateway</body></html>", "text/html"),
        "empty": ("", "application/json"),
        "array": ("[]", "application/json"),
        "no_choices": (json.dumps({"id": "x", "choices": [], "content": None}), "application/json"),
        "error_200": (json.dumps({"error": {"message": "upstream failed"}}), "application/json"),
        "oversized": ('{"a": "' + "x" * 9_000_000 + '"}', "application/json"),
    }
    if fault in bodies:
        text, kind = bodies[fault]
        return web.Response(text=text, content_type=kind, headers=_ids(request))
    if fault == "redirect":
        return web.Response(status=307, headers={"Location": f"http://{http.host}/elsewhere"})
    return None


async def _piecemeal(http: web.Request, fault: str) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000000"})
    await response.prepare(http)
    if fault == "cut":
        await response.write(b'{"choices": [{"message"')
    while fault == "drip" and not http.app[CLOSING].is_set():
        await response.write(b"\n")
        await asyncio.sleep(0.01)
    if http.transport is not None:
        http.transport.abort()
    return response


def _status(request: Request, rule: dict[str, Any]) -> web.Response:
    headers = {"Retry-After": str(rule["retry_after"])} if "retry_after" in rule else {}
    headers["x-request-id" if request.vendor == "openai" else "request-id"] = "req_fault"
    if rule.get("html"):
        return web.Response(
            status=rule["status"], text="<html>broken</html>", content_type="text/html", headers=headers
        )
    return web.json_response(error_of(request.vendor, rule), status=rule["status"], headers=headers)


def _usual(http: web.Request, request: Request, rule: dict[str, Any]) -> web.Response:
    raw = json.dumps(body_of(request, rule, http.app[SCRIPT].labels))
    if rule.get("fault") == "cut_reply":  # complete HTTP, JSON that ends in the middle
        raw = raw[: len(raw) // 2]
    return web.Response(text=raw, content_type="application/json", headers=_ids(request))


def _ids(request: Request) -> dict[str, str]:
    name = "x-request-id" if request.vendor == "openai" else "request-id"
    return {name: f"req_{request.number}"}


class VendorServer:
    """The server in a thread of this process, on a free port of the loopback interface."""

    def __init__(self, port: int = 0) -> None:
        self.script = Script()
        self._port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="vendor-server", daemon=True)

    @property
    def url(self) -> str:
        """The address without a path: what ANTHROPIC_BASE_URL holds; OpenAI's is this with /v1."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """All requests so far, oldest first."""
        return self.script.log

    @property
    def batches(self) -> Batches:
        """The batches that were handed over, and their part of the script."""
        return self.script.batches

    def rules(self, *rules: dict[str, Any]) -> None:
        """Replace the rules."""
        self.script.rules = [dict(rule) for rule in rules]

    def labels(self, *labels: dict[str, Any]) -> None:
        """Replace the labels of single claims."""
        self.script.labels = list(labels)

    def wait_for(self, count: int) -> None:
        """Block until so many requests have arrived."""
        with self.script.changed:
            if not self.script.changed.wait_for(lambda: len(self.requests) >= count, timeout=20):
                raise TimeoutError(f"{len(self.requests)} of {count} requests arrived")

    def settle(self) -> None:
        """Block until what has been sent to the server so far has arrived: of those who sent it and died, too."""

        async def look() -> None:
            for _ in range(50):
                await asyncio.sleep(0)  # one round of the loop: reads what is there

        asyncio.run_coroutine_threadsafe(look(), self._loop).result(20)

    def allow(self, answers: int) -> None:
        """Hold all answers but so many, until `allow_all`; none is added to what is allowed already."""
        self._loop.call_soon_threadsafe(self._allow, answers)

    def _allow(self, answers: int) -> None:
        allowed = self.script.allowed = self.script.allowed or asyncio.Semaphore(0)
        if allowed.locked():
            for _ in range(answers):
                allowed.release()

    def allow_all(self) -> None:
        """Answer whatever is held by `allow`, and all that comes."""
        self._loop.call_soon_threadsafe(self._allow_all)

    def _allow_all(self) -> None:
        held, self.script.allowed = self.script.allowed, None
        if held:
            for _ in self.script.log:
                held.release()

    def release(self) -> None:
        """Answer all requests that are held, and drop the rules so that none is held again."""
        self.rules()
        self._loop.call_soon_threadsafe(self._open_gate)

    def _open_gate(self) -> None:
        self.script.gate.set()
        self.script.gate = asyncio.Event()  # for the next ones

    def start(self) -> "VendorServer":
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the vendor server did not start")
        return self

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = make_app(self.script)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        app[CLOSING].set()
        await runner.cleanup()
