"""The fixture `vendor_server`: a fresh fake vendor, with both SDKs' environment pointing at it."""

from collections.abc import Iterator

import pytest

from tests.vendor_server.server import VendorServer

AMBIENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")


@pytest.fixture(scope="session")
def _running_vendor_server() -> Iterator[VendorServer]:
    server = VendorServer().start()
    yield server
    server.stop()


@pytest.fixture
def vendor_server(_running_vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    """The server with an empty script and log; keys and addresses of OpenAI, Anthropic and DeepSeek are set."""
    server = _running_vendor_server
    server.script.reset()
    server.script.latency = 0.0
    for name in AMBIENT:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for vendor, path in (("OPENAI", "/v1"), ("ANTHROPIC", ""), ("DEEPSEEK", "")):
        monkeypatch.setenv(f"{vendor}_API_KEY", f"sk-test-{vendor.lower()}-0123456789")
        monkeypatch.setenv(f"{vendor}_BASE_URL", server.url + path)
    yield server
    server.script.reset()
