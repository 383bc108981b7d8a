"""What passes between a child and the process that started it: frames of a head and a body, both text.

A frame is the lengths of both (4 bytes each, big-endian), the head as JSON, and the body: texts joined by NUL, which
no text of a row holds. Cutting a body at NULs is many times as fast as decoding JSON, and just as harmless: whatever
the child was made to write, only texts come out of it. Nothing is ever unpickled.
"""

import json
import os
import select
import struct
import time
from typing import Any, BinaryIO

MAX_HEAD = 64 << 20  # bytes
MAX_BODY = 96 << 20  # a frame holds little more than its largest row
LENGTHS = struct.Struct(">II")
SEPARATOR = "\x00"
Frame = tuple[dict[str, Any], str]
"""Head and body."""


class BrokenFrame(Exception):
    """What came is no frame, or one that is too large: the other side is not to be believed."""


def write_frame(stream: BinaryIO, head: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame. Blocks while the reader is behind; raises BrokenPipeError when it is gone."""
    told = json.dumps(head, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    stream.write(LENGTHS.pack(len(told), len(body)) + told)
    stream.write(body)
    stream.flush()


class FrameReader:
    """Reads frames from a pipe without waiting for ever."""

    def __init__(self, file: int) -> None:
        """file: descriptor of the pipe's end."""
        self._file = file
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN)
        self._lengths: tuple[int, int] | None = None  # of the frame whose lengths have been read
        self._expect(LENGTHS.size)
        self.ended = False  # the writer has closed the pipe

    def _expect(self, size: int) -> None:
        """Make room for what comes next: the lengths, or head and body."""
        self._room = memoryview(bytearray(size))
        self._got = 0  # bytes of it

    def read(self, seconds: float) -> Frame | None:
        """The next frame; None when it is not whole after so many seconds, or never will be (then `ended`).

        Raises BrokenFrame.
        """
        end = time.monotonic() + seconds
        while True:
            if self._got == len(self._room):
                if frame := self._step():
                    return frame
                continue
            left = end - time.monotonic()
            if self.ended or left <= 0 or not self._poll.poll(left * 1000):
                return None
            count = os.readv(self._file, [self._room[self._got :]])
            self.ended = not count
            self._got += count

    def _step(self) -> Frame | None:
        """What was waited for is here: the lengths, so that the rest can be, or the rest."""
        room = self._room
        if self._lengths is None:
            head, body = self._lengths = LENGTHS.unpack(room)
            if head > MAX_HEAD or body > MAX_BODY:
                raise BrokenFrame
            self._expect(head + body)
            return None
        length, self._lengths = self._lengths[0], None
        self._expect(LENGTHS.size)
        try:
            head = json.loads(bytes(room[:length]))
            text = str(room[length:], "utf-8")
        except (ValueError, RecursionError) as error:
            raise BrokenFrame from error
        if not isinstance(head, dict):
            raise BrokenFrame
        return head, text
