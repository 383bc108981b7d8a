"""Label Studio's label stream in the same browser: one task after the other, a key to choose, a chord to submit."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route

from bench.importing import LABEL_STUDIO
from bench.peers import installed_python
from bench.place import ROOT
from bench.serving import spread, until_it_answers

EMAIL, PASSWORD = "bench@example.com", "a-long-password-1"
LIMIT = 600  # seconds for its migrations and the import
# From the key press that submits until another claim stands on the page, and has been painted.
WATCH = """
window.benchTimes = [];
let pressed = 0, shown = '';
addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.ctrlKey) pressed = event.timeStamp;
}, true);
window.benchClaim = () => [...document.querySelectorAll('h1, h2, h3, h4, h5')].map((one) => one.textContent)
  .find((text) => window.benchClaims && window.benchClaims.includes(text)) || '';
new MutationObserver(() => {
  const now = window.benchClaim();
  if (!now || now === shown) return;
  shown = now;
  const began = pressed;
  pressed = 0;
  requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
      if (began) window.benchTimes.push(performance.now() - began);
      window.benchShown = now;
    };
    painted.port2.postMessage(0);
  });
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


def label_studio(browser: Browser, texts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Its figures; nothing but a loud word where it is not installed or does not work as expected."""
    python = installed_python(LABEL_STUDIO)
    if python is None:
        print("bench desk: LABEL STUDIO IS LEFT OUT, the bench importing has not installed it.", file=sys.stderr)
        return {"label_studio_ms": "NOT MEASURED: Label Studio is not installed"}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder, _server(python, Path(folder), texts) as place:
        url, project = place
        times = _label(browser, url, project, texts)
    return {"label_studio_ms": spread(times), "label_studio_keys_per_decision": 2}


@contextmanager
def _server(python: Path, folder: Path, texts: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    file = folder / "tasks.json"
    tasks = [{"claim": row["answer"], "context": "\n\n".join(row["contexts"])} for row in texts]
    file.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    quiet = {"LATEST_VERSION_CHECK": "false", "COLLECT_ANALYTICS": "false", "DJANGO_DB": "sqlite"}
    own = {"LABEL_STUDIO_BASE_DATA_DIR": str(folder), "SECRET_KEY": "bench", "HOME": str(folder)}
    environment = {"PATH": os.environ["PATH"], **quiet, **own}
    command = [str(python), str(ROOT / "bench" / "peer_label_studio_desk.py"), str(file), EMAIL, PASSWORD]
    made = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=LIMIT)
    told = [json.loads(line) for line in made.stdout.splitlines() if line.startswith('{"project"')]
    if not told or told[0]["tasks"] != len(texts):
        raise RuntimeError(f"Label Studio could not be prepared (status {made.returncode}).")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = [str(python.parent / "label-studio"), "start", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(start, cwd=folder, env=environment, stdout=sys.stderr, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        until_it_answers(f"{url}/user/login/", process, 300)
        yield url, told[0]["project"]
    finally:
        process.terminate()
        process.wait(30)


def _label(browser: Browser, url: str, project: int, texts: Sequence[dict[str, Any]]) -> list[float]:
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(120_000)
    claims = json.dumps([row["answer"] for row in texts])
    page.add_init_script(WATCH + f"window.benchClaims = {claims};")
    page.route(lambda address: not address.startswith(url), _refuse)  # it loads what is not of this machine
    page.goto("/user/login/", wait_until="domcontentloaded")
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(lambda address: "/user/login" not in address, wait_until="commit")
    page.goto(f"/projects/{project}/data?labeling=1", wait_until="domcontentloaded")
    for number in range(len(texts) - 1):
        _submit(page, number)
    times: list[float] = page.evaluate("window.benchTimes")
    context.close()
    return times


def _refuse(route: Route) -> None:
    route.abort()


def _submit(page: Page, number: int) -> None:
    page.wait_for_function("() => window.benchShown && window.benchShown === window.benchClaim()")
    page.keyboard.press("123"[number % 3])
    page.wait_for_selector("input[type=radio]:checked, .ant-radio-checked, .ant-checkbox-checked")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("n => window.benchTimes.length >= n", arg=number + 1)
