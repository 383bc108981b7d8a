"""The product's web server in processes of its own, on the database of the test."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.services.workers import ROOT, database_url, wait_for

COMMAND = "-m gunicorn config.wsgi --worker-class gthread --log-level warning --no-control-socket --timeout 120"


@contextmanager
def serving(processes: int, threads: int) -> Iterator[str]:
    """Its address, while it runs as `manage.py web` runs it: so many processes, each with so many threads."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        place = f"127.0.0.1:{door.getsockname()[1]}"
        arguments = f"{COMMAND} --bind fd://{door.fileno()} --workers {processes} --threads {threads}"
        environment = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
        server = subprocess.Popen(
            [sys.executable, *arguments.split()], cwd=ROOT, env=environment, pass_fds=(door.fileno(),)
        )
    try:
        wait_for(lambda: _answers(place), "the web server does not start")
        yield f"http://{place}"
    finally:
        server.terminate()
        server.wait(30)


def _answers(place: str) -> bool:
    connection = http.client.HTTPConnection(place, timeout=30)
    try:
        connection.request("GET", "/login/")
        return connection.getresponse().status < 500
    except OSError:
        return False
    finally:
        connection.close()
