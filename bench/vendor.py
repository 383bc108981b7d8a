"""A vendor that costs next to nothing: real HTTP/1.1 with keep-alive, a fixed latency, replies that hold.

Speaks as much of OpenAI's Chat Completions and of Anthropic's Messages as the bench asks for. It shares the machine
with what is measured, so it is written by hand on asyncio.Protocol. `python -m bench.vendor` prints its port on the
first line and stays until its standard input is closed. GET /counts gives what it saw; POST /reset?latency=SECONDS
starts counting anew.
"""

import argparse
import asyncio
import gc
import json
import sys
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bench.vendor_replies import Refused, answer

_HEAD = "HTTP/1.1 %d OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
_CHAT = (
    '{"id":"chatcmpl-%d","object":"chat.completion","created":1700000000,"model":%s,"choices":[{"index":0,"message":'
    '{"role":"assistant","content":%s,"refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,'
    '"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":0}}}'
)
_TOOL = (
    '{"id":"chatcmpl-%d","object":"chat.completion","created":1700000000,"model":%s,"choices":[{"index":0,"message":'
    '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":'
    '{"name":%s,"arguments":%s}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,'
    '"total_tokens":%d}}'
)
_MESSAGE = (
    '{"id":"msg_%d","type":"message","role":"assistant","model":%s,"content":[{"type":"text","text":%s}],'
    '"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,'
    '"output_tokens":%d}}'
)


class Counts:
    """What was seen since the last reset. running and peak: model -> requests at once; "" stands for all models."""

    def __init__(self, latency: float) -> None:
        self.latency = latency  # seconds from the last byte of a request to the first one of its reply
        self.requests: Counter[str] = Counter()
        self.running: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self.seen: set[int] = set()  # hashes of bodies
        self.doubled = 0  # requests whose body had been seen before
        self.abandoned = 0  # replies that nobody waited for any more
        self.refused = 0  # requests that were not understood
        self.connections = 0
        self.sent = 0

    def arrived(self, model: str, body: bytes) -> None:
        """Count a request in."""
        digest = hash(body)
        self.doubled += digest in self.seen
        self.seen.add(digest)
        self.requests[model] += 1
        for name in (model, ""):
            self.running[name] += 1
            if self.running[name] > self.peak[name]:
                self.peak[name] = self.running[name]

    def left(self, model: str) -> None:
        """Count a request out."""
        self.running[model] -= 1
        self.running[""] -= 1

    def as_json(self) -> bytes:
        """For GET /counts."""
        peak = dict(self.peak)
        told: dict[str, Any] = {
            "requests": sum(self.requests.values()),
            "by_model": dict(self.requests),
            "peak": peak.pop("", 0),
            "peak_by_model": peak,
            "running": self.running[""],
            "doubled": self.doubled,
            "abandoned": self.abandoned,
            "refused": self.refused,
            "connections": self.connections,
        }
        return json.dumps(told).encode()


class Connection(asyncio.Protocol):
    """One client's connection; requests on it come one after another."""

    def __init__(self, server: "Vendor") -> None:
        self.server = server
        self.buffer = b""
        self.wanted = 0  # bytes of the request that is coming in, 0 while its head is not complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        self.transport: Any = transport
        self.server.counts.connections += 1

    def data_received(self, data: bytes) -> None:
        """Called by asyncio: take every request that is complete."""
        self.buffer = self.buffer + data if self.buffer else data
        while self.buffer:
            if not self.wanted:
                end = self.buffer.find(b"\r\n\r\n")
                if end < 0:
                    return
                self.head = self.buffer[:end]
                self.start = end + 4
                self.wanted = self.start + _length(self.head)
            if len(self.buffer) < self.wanted:
                return
            body, self.buffer = self.buffer[self.start : self.wanted], self.buffer[self.wanted :]
            self.wanted = 0
            self.server.take(self, self.head, body)

    def reply(self, body: bytes, status: int = 200, headers: str = "") -> None:
        """Send a whole response in one piece."""
        if self.transport.is_closing():
            self.server.counts.abandoned += 1
            return
        self.transport.write((_HEAD % (status, headers, len(body))).encode() + body)


class Vendor:
    """All connections and their counts."""

    def __init__(self, latency: float) -> None:
        self.counts = Counts(latency)
        self.loop = asyncio.get_running_loop()

    def take(self, connection: Connection, head: bytes, body: bytes) -> None:
        """A complete request: answer it after the latency."""
        now = self.loop.time()
        target = head[: head.index(b"\r\n")].split(b" ")[1].decode()
        if not target.endswith(("/chat/completions", "/messages")):
            self._control(connection, target)
            return
        request = json.loads(body)
        model = request["model"]
        counts = self.counts
        counts.arrived(model, body)
        counts.sent += 1
        number = counts.sent
        try:
            text = answer(request, body)
        except Refused as refused:
            counts.refused += 1
            counts.left(model)
            connection.reply(json.dumps({"error": {"message": str(refused)}}).encode(), 400)
            return
        name, tokens, words = json.dumps(model), len(body) // 4, len(text) // 4
        content = json.dumps(text, ensure_ascii=False)
        if target.endswith("/messages"):
            raw, headers = _MESSAGE % (number, name, content, tokens, words), f"request-id: req_{number}\r\n"
        elif request.get("tools"):
            tool = json.dumps(request["tools"][0]["function"]["name"])
            raw = _TOOL % (number, name, tool, content, tokens, words, tokens + words)
            headers = f"x-request-id: req_{number}\r\n"
        else:
            raw = _CHAT % (number, name, content, tokens, words, tokens + words)
            headers = f"x-request-id: req_{number}\r\n"
        if counts.latency:
            self.loop.call_at(now + counts.latency, self._send, connection, model, raw.encode(), headers, counts)
        else:
            self._send(connection, model, raw.encode(), headers, counts)

    def _send(self, connection: Connection, model: str, raw: bytes, headers: str, counts: Counts) -> None:
        counts.left(model)
        connection.reply(raw, 200, headers)

    def _control(self, connection: Connection, target: str) -> None:
        parts = urlsplit(target)
        if parts.path == "/reset":
            self.counts = Counts(float(parse_qs(parts.query).get("latency", [str(self.counts.latency)])[0]))
        if parts.path in ("/reset", "/counts"):
            connection.reply(self.counts.as_json())
        else:
            connection.reply(b'{"error": {"message": "no such address"}}', 404)


def _length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0


async def serve(port: int, latency: float) -> None:
    """Serve on the loopback interface until standard input ends."""
    loop = asyncio.get_running_loop()
    vendor = Vendor(latency)
    server = await loop.create_server(lambda: Connection(vendor), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def main() -> None:
    """Run as a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before each reply")
    options = parser.parse_args()
    gc.freeze()
    gc.set_threshold(50_000)
    asyncio.run(serve(options.port, options.latency))


if __name__ == "__main__":
    main()
