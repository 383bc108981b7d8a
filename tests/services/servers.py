"""A Redis and a PostgreSQL of the tests' own, to be killed and restarted without harm to anybody else."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

import redis

DEADLINE = 30  # seconds until a server counts as broken


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Redis:
    """A Redis that others use as well: nothing is done to it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def empty(self) -> None:
        """Forget what earlier tests have left, where that harms nobody."""


class OwnRedis(Redis):
    """A redis-server that stores nothing on disk."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.port = free_port()
        super().__init__(f"redis://127.0.0.1:{self.port}/0")
        self._command = [binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def binary() -> str | None:
        """Where the server is, None when it is not installed."""
        return shutil.which("redis-server") or shutil.which("valkey-server")

    def start(self) -> None:
        """Start it, empty."""
        command = [*self._command, "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.ConnectionError:
                    assert time.monotonic() < end, "redis-server did not start"
                    time.sleep(0.02)

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def empty(self) -> None:
        """Forget everything."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


class OwnPostgres:
    """A PostgreSQL cluster. The server refuses to run as root, so there it runs as another user."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.port = free_port()
        self._binaries, self._folder = binaries, folder
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            user = _other_user()
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self._run("initdb", "-D", str(folder / "data"), "-U", "postgres", "--no-sync", "-A", "trust", "-E", "UTF8")

    @staticmethod
    def binaries() -> Path | None:
        """Where the server's programs are, None when they are not installed or cannot be run here."""
        packaged = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")))  # as Debian has them
        found = [path for path in (shutil.which("pg_ctl"), *packaged) if path]
        if not found or (os.geteuid() == 0 and not shutil.which("setpriv")):
            return None
        return Path(found[0]).resolve().parent

    def start(self) -> None:
        """Start it. Without fsync: what a killed server had written stays in the system's memory."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self._folder} -c fsync=off -c max_connections=60"
        self._control("start", "-o", options)

    def restart(self, mode: str) -> None:
        """Restart it. mode: "immediate" is a crash and its recovery, "fast" throws everybody out in order."""
        self._control("restart", "-m", mode)

    def stop(self) -> None:
        """Stop it."""
        self._control("stop", "-m", "immediate")

    def _control(self, what: str, *options: str) -> None:
        log = str(self._folder / "log")
        self._run("pg_ctl", what, "-D", str(self._folder / "data"), "-l", log, "-w", "-t", str(DEADLINE), *options)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_user, str(self._binaries / program), *arguments]
        # Not from a folder that the other user may not enter; no pipes, which the server would inherit and hold.
        with (self._folder / "output").open("ab") as output:
            done = subprocess.run(command, cwd="/", stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (self._folder / "output").read_text(errors="replace")[-2000:]


def _other_user() -> "pwd.struct_passwd":
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")
