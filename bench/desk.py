"""The expert's desk in Chromium: `make bench NAME=desk`, one JSON line. BENCH_QUICK=1 takes 20 decisions.

Claims with three contexts each, of 4 KB, every tenth of 100,000 characters; the product's own web server, PostgreSQL
where one is reachable, else SQLite. An expert decides one claim after the other with one key, each as soon as the
desk listens to keys and has the next claim ready.

next_claim_ms          from the key press (the time stamp of its event) until the next claim is painted (a message
                       after the animation frame that follows its coming): median, 95th percentile, worst
without_prefetch_ms    the same where the next claim may not be fetched ahead: it comes with the answer to the label
server_ms              of the first: from sending the label until its answer is there
keys_per_decision      as the product itself stored it with the labels
label_studio_ms        Label Studio 1.23.0 with the same texts: from the key press that submits until the next task
                       is painted. keys: it takes one to choose and a chord to submit. Only where the bench
                       `importing` has installed it; left out, loudly, else
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route

from bench.desk_label_studio import label_studio
from bench.place import ROOT, place
from bench.processes import load
from bench.samples import rows
from bench.serving import spread, until_it_answers
from tests.browser.running import chromium

PASSAGE, LONG, EVERY = 1_400, 33_000, 10  # characters of a context; of one of a long claim; every how manieth is long
PASSWORD = "a-long-password-1"
LISTENS = "#desk[data-desk=claim][data-ready]:not([data-busy])"
# Notes the time stamp of a key and when the next claim was painted, and how long the server took to answer.
WATCH = """
window.benchTimes = []; window.benchServer = [];
let pressed = 0, sent = 0;
addEventListener('keydown', (event) => { if ('123'.includes(event.key)) pressed = event.timeStamp; }, true);
document.addEventListener('htmx:beforeSend', () => { sent = performance.now(); });
document.addEventListener('htmx:beforeOnLoad', () => { window.benchServer.push(performance.now() - sent); });
document.addEventListener('desk:shown', () => requestAnimationFrame(() => {
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { if (pressed) window.benchTimes.push(performance.now() - pressed); pressed = 0; };
  painted.port2.postMessage(0);
}));
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one JSON line. Returns the exit status."""
    quick = os.environ.get("BENCH_QUICK") == "1"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=20 if quick else 100)
    parser.add_argument("--no-peer", action="store_true", help="leaves Label Studio out")
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)  # make so many claims here
    parser.add_argument("--keys", action="store_true", help=argparse.SUPPRESS)  # what was stored here
    options = parser.parse_args(arguments)
    if options.make or options.keys:
        print(json.dumps(_make(options.make) if options.make else _keys()))
        return 0
    found: dict[str, Any] = {"bench": "desk", "decisions": options.decisions, "load_before": round(load(), 2)}
    with chromium() as browser:
        found |= ours(browser, options.decisions)
        if not options.no_peer:
            found |= label_studio(browser, texts(min(options.decisions, 60)))
    print(json.dumps(found))
    return 0


def texts(count: int) -> list[dict[str, Any]]:
    """One claim per sample; every tenth with long contexts."""
    short = rows(count, claims=1, salt="desk", passage=PASSAGE)
    long = rows(count, claims=1, salt="desk", passage=LONG)
    return [long[n] if n % EVERY == EVERY - 1 else short[n] for n in range(count)]


def ours(browser: Browser, decisions: int) -> dict[str, Any]:
    """Our own figures."""
    with place() as here:
        _run(here.environment, "manage.py", "migrate", "-v0")
        without = max(10, decisions // 4)
        _run(here.environment, "-m", "bench.desk", f"--make={decisions + without + 5}")
        with server(here.environment) as url:
            ahead, waited = decide(browser, url, decisions, prefetch=True)
            alone, _ = decide(browser, url, without, prefetch=False)
        keys = json.loads(_run(here.environment, "-m", "bench.desk", "--keys"))
        found = {"next_claim_ms": spread(ahead), "without_prefetch_ms": spread(alone), "server_ms": spread(waited)}
        return found | keys | {"database": here.database}


def decide(browser: Browser, url: str, count: int, *, prefetch: bool) -> tuple[list[float], list[float]]:
    """Label so many claims; milliseconds until the next one was painted, and that the server took."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    if not prefetch:
        page.route("**/review/next/", _refuse)
    page.goto("/account/login/")
    page.fill("#id_username", "bench")
    page.fill("#id_password", PASSWORD)
    page.click("main form button[type=submit]")
    page.goto("/review/")
    page.wait_for_selector("#desk[data-ready]")
    page.keyboard.press("n")
    for number in range(count):
        _decide(page, "123"[number % 3], number + 1, "[data-ahead]" if prefetch else "")
    times, waited = page.evaluate("[window.benchTimes, window.benchServer.slice(-window.benchTimes.length)]")
    context.close()
    return times, waited


def _refuse(route: Route) -> None:
    route.fulfill(status=204)


def _decide(page: Page, key: str, number: int, ready: str) -> None:
    page.wait_for_selector(LISTENS + ready)
    page.keyboard.press(key)
    page.wait_for_function("n => window.benchTimes.length >= n", arg=number)


@contextmanager
def server(environment: dict[str, str]) -> Iterator[str]:
    """The product's web server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "manage.py", "web", "--host=127.0.0.1", f"--port={port}"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=sys.stderr)
    try:
        until_it_answers(f"http://127.0.0.1:{port}/account/login/", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _run(environment: dict[str, str], *command: str) -> str:
    line = [sys.executable, *command]
    done = subprocess.run(line, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=600)
    return done.stdout


def _make(count: int) -> dict[str, int]:
    """In this process: an audit under review with so many disputed claims, and an expert."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model

    from audits.models import Claim, Project, Role, Sample
    from review.models import Slot
    from review.spotcheck import open_review
    from tests.review.factory import make_audit

    project = Project.objects.create(name="Bench", slug="bench")
    expert = get_user_model().objects.create_user("bench", password=PASSWORD)
    project.memberships.create(user=expert, role=Role.EXPERT)
    audit = make_audit(project, [("SUPPORTED", "CONTRADICTED")] * count)
    for claim, row in zip(Claim.objects.order_by("sample__position"), texts(count), strict=True):
        told = {"question": row["question"], "answer": row["answer"], "contexts": row["contexts"]}
        Sample.objects.filter(pk=claim.sample_id).update(**told)
        Claim.objects.filter(pk=claim.pk).update(text=row["answer"], start=0, end=len(row["answer"]))
    open_review(audit)
    return {"claims": Slot.objects.count()}


def _keys() -> dict[str, Any]:
    """In this process: what the product stored of the decisions."""
    import django

    django.setup()
    from django.db.models import Avg, Count

    from review.models import Adjudication

    found = Adjudication.objects.aggregate(keys=Avg("keys"), n=Count("pk"))
    return {"keys_per_decision": round(found["keys"], 3), "labels": found["n"]}


if __name__ == "__main__":
    sys.exit(main())
