"""The product as a user starts it, in a data folder of its own, and a Chromium to look at it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN = 90  # seconds; a slow machine migrates and reads the sample data in about 15
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]
# What a developer's shell may hold and a server of the tests must not see.
FOREIGN = ("ASSAY_", "OPENAI_", "ANTHROPIC_", "DEEPSEEK_", "DASHSCOPE_", "DJANGO_")
FOREIGN_NAMES = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "LOG_LEVEL")


@dataclass(frozen=True)
class Running:
    """A server that answers. url: without a slash at the end; logins: name -> password, as they were printed."""

    url: str
    data_dir: Path
    log: Path
    logins: dict[str, str] = field(default_factory=dict)

    def output(self) -> str:
        """All that the server has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for_line(self, part: str, seconds: float = 120) -> None:
        """Until the server has printed this; TimeoutError with the end of its output when it does not."""
        end = time.monotonic() + seconds
        while part not in self.output():
            if time.monotonic() > end:
                raise TimeoutError(f"{part!r} was never printed:\n{self.output()[-3000:]}")
            time.sleep(0.2)


def chromium_path() -> str:
    """The system's Chromium: CHROMIUM, or the first that is found. RuntimeError when there is none."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        raise RuntimeError("No Chromium was found. Install it (apt-get install chromium), or set CHROMIUM to it.")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window; it is closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def assay(data_dir: Path, **environment: str) -> Iterator[Running]:
    """`manage.py up` with the sample project on a free port; ended with all its processes at the end."""
    port = _free_port()
    command = [sys.executable, "manage.py", "up", "--port", str(port)]
    log = data_dir / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=_environment(data_dir, environment), stdout=output, stderr=subprocess.STDOUT
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(process, url, log)
        logins = json.loads((data_dir / "sample-logins.json").read_text(encoding="utf-8"))
        yield Running(url, data_dir, log, logins)
    finally:
        process.terminate()  # `up` then ends the web server and the worker in order
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(data_dir: Path, more: dict[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN) and name not in FOREIGN_NAMES
    }
    return kept | {"ASSAY_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"} | more


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/account/login/", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    said = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(f"Assay did not start (exit code {process.poll()}). It said:\n{said}")
