"""A broker in a folder, for one machine without Redis: one file per message, whole from the moment it has its name.

kombu's own file transport lets a reader take a file before its writer has finished it, which ends the worker, and
moves messages through the machine's shared temporary folder. Here a message gets its final name when it is whole, and
is taken by renaming it, which succeeds for exactly one reader.
"""

import json
import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, virtual

SCHEME = "spool"


class Channel(virtual.Channel):
    """Queues as files NANOSECONDS_ID.QUEUE.msg below the folder of the transport options."""

    @property
    def _folder(self) -> Path:
        return Path(self.connection.client.transport_options["folder"])

    def _files(self, queue: str) -> list[Path]:
        return sorted(self._folder.glob(f"*.{queue}.msg"))

    def _put(self, queue: str, message: Any, **_: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}"
        unfinished = self._folder / f"{name}.unfinished"
        unfinished.write_text(json.dumps(message), encoding="utf-8")
        os.replace(unfinished, self._folder / f"{name}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for file in self._files(queue):
            taken = file.with_suffix(".taken")
            try:
                os.rename(file, taken)
            except OSError:  # another reader was first
                continue
            text = taken.read_text(encoding="utf-8")
            taken.unlink()
            try:
                return json.loads(text)
            except ValueError:  # the disk lost a part of it; a sweep rings again
                continue
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._files(queue))

    def _purge(self, queue: str) -> int:
        files = self._files(queue)
        for file in files:
            file.unlink(missing_ok=True)
        return len(files)


class Transport(virtual.Transport):
    """kombu's virtual transport over that channel."""

    Channel = Channel
    driver_type = driver_name = SCHEME
    global_state = virtual.BrokerState()  # type: ignore[no-untyped-call]  # kombu has no types

    def driver_version(self) -> str:
        """For reports."""
        return "1"


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
