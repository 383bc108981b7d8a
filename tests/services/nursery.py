"""A process that forks workers: they are ready in a fraction of the time, having all that is slow to import.

Run as `python -m tests.services.nursery`. Reads lines of JSON, {"environment": {...}, "output": file}, starts a
worker for each and prints its process id. Ends, and kills what it started, when its input ends.

Signals to a worker: SIGRTMIN sets its clock an hour forward, SIGRTMIN+1 an hour back, as an operator or NTP would set
that of its machine. Clocks that only count on (time.monotonic) are not touched by such a thing, and not here.
"""

import contextlib
import datetime
import importlib
import json
import os
import signal
import sys
from typing import Any

SLOW = (
    *("celery.bin.worker", "celery.apps.worker", "celery.concurrency.thread", "celery.fixups.django", "redis"),
    *("kombu.transport.redis", "django.contrib.auth.models", "django.core.management", "django.middleware.csrf"),
    *(
        "django.db.backends.postgresql.base",
        "django.template.backends.django",
        "psycopg",
        "whitenoise.middleware",
        "environ",
    ),
    *("openai.resources.chat", "openai.resources.batches", "anthropic.resources", "aiohttp", "httpx2", "openpyxl"),
    *("xlsxwriter", "numpy", "scipy.stats", "rapidfuzz", "cryptography.fernet", "rfc8785"),
    *("django_htmx.middleware", "template_partials", "time_machine", "django.db.migrations.executor"),
    *("django.views.debug", "django.template.defaulttags", "django.template.loader_tags"),
    # What is ours and knows nothing of Django.
    *("audits.engine", "audits.judges.extracting", "audits.judges.verifying", "audits.text.injection"),
    *("audits.judges.openai", "audits.judges.anthropic", "audits.limits.shared", "audits.formats", "audits.prices"),
    *("audits.stats.planning", "audits.stats.agreement", "audits.stats.rates", "audits.judges.families"),
)
FORWARD, BACK = signal.SIGRTMIN, signal.SIGRTMIN + 1
HOUR = datetime.timedelta(hours=1)
_jumped = datetime.timedelta(0)
_machine: Any = None


def main() -> None:
    for name in SLOW:
        with contextlib.suppress(Exception):  # some want settings; what they import is there by then
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, _bury)
    children = []
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _work(order)
        children.append(child)
        print(child, flush=True)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _bury(*_: Any) -> None:
    """Let the dead go at once, so that others see that they are dead."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _work(order: dict[str, Any]) -> None:
    """The life of a worker: it never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        os.setsid()
        output = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for old, new in ((0, nothing), (1, output), (2, output)):
            os.dup2(new, old)
        os.environ.clear()
        os.environ.update(order["environment"])
        for number, hour in ((FORWARD, HOUR), (BACK, -HOUR)):
            signal.signal(number, lambda *_, hour=hour: _jump(hour))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("worker")
    finally:
        os._exit(0)


def _jump(by: datetime.timedelta) -> None:
    """Set this process's clock."""
    global _jumped, _machine
    import time_machine

    if _machine is not None:
        _machine.stop()
    _jumped += by
    _machine = time_machine.travel(datetime.datetime.now(datetime.UTC) + _jumped, tick=True)
    _machine.start()


if __name__ == "__main__":
    main()
