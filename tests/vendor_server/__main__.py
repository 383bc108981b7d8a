"""`python -m tests.vendor_server --port N`: the fake vendor on its own, scripted over HTTP."""

import argparse
import json
import threading
from pathlib import Path

from tests.vendor_server.server import VendorServer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--script", type=Path, help="JSON file as posted to /__script__")
    arguments = parser.parse_args()
    server = VendorServer(arguments.port)
    server.script.latency = arguments.latency
    if arguments.script:
        server.script.load(json.loads(arguments.script.read_text(encoding="utf-8")))
    server.start()
    print(f"fake vendor at {server.url} (OpenAI: {server.url}/v1)", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.stop()


if __name__ == "__main__":
    main()
