"""The broker in a folder: every message reaches exactly one reader, whole."""

import threading
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

import config.spool  # noqa: F401  # registers the transport


@pytest.fixture
def connect(tmp_path: Path) -> Any:
    def make() -> Connection:
        return Connection("spool://localhost/", transport_options={"folder": str(tmp_path), "polling_interval": 0.01})

    return make


def test_a_message_is_read_once_and_leaves_nothing(connect: Any, tmp_path: Path) -> None:
    with connect() as connection, connection.SimpleQueue("work") as queue:
        queue.put({"audit": 7, "text": "复核"})
        message = queue.get(timeout=5)
        message.ack()
        assert message.payload == {"audit": 7, "text": "复核"}
        with pytest.raises(queue.Empty):
            queue.get(block=False)
    assert list(tmp_path.iterdir()) == []


def test_messages_come_in_order(connect: Any) -> None:
    with connect() as connection, connection.SimpleQueue("work") as queue:
        for number in range(20):
            queue.put(number)
        assert [queue.get(timeout=5).payload for _ in range(20)] == list(range(20))


def test_a_broken_file_is_passed_over(connect: Any, tmp_path: Path) -> None:
    (tmp_path / "00000000000000000000_x.work.msg").write_text("{", encoding="utf-8")
    with connect() as connection, connection.SimpleQueue("work") as queue:
        queue.put("good")
        assert queue.get(timeout=5).payload == "good"


def test_many_writers_and_readers_lose_and_double_nothing(connect: Any) -> None:
    read: list[int] = []

    def write(start: int) -> None:
        with connect() as connection, connection.SimpleQueue("work") as queue:
            for number in range(start, start + 50):
                queue.put(number)

    def take() -> None:
        with connect() as connection, connection.SimpleQueue("work") as queue:
            while len(read) < 150:
                try:
                    message = queue.get(block=False)
                except queue.Empty:
                    continue
                message.ack()
                read.append(message.payload)

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 50, 100)]
    threads += [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(read) == list(range(150))
