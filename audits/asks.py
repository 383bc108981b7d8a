"""What goes into the engine and comes out of it: asks, the attempts at them, and their outcomes. No Django."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from audits.judges.base import JudgeError, JudgeSpec, Prompt, Reply, Task, Usage
from audits.limits import Limits


@dataclass(frozen=True)
class Ask:
    """One question to one judge. key: whatever the caller knows it by.

    judge_key: asks with the same one share the judge's limits, in this process and with others.
    prompt, request_hash: as built by the caller already; None and "": built here.
    group: asks whose requests begin alike; the first goes alone, the others follow when the vendor can have cached
    that beginning. at_most: US dollars that one call may cost, None without a budget.
    """

    key: Any
    judge_key: str
    spec: JudgeSpec
    task: Task
    limits: Limits = field(default_factory=lambda: Limits(8))
    replicate: int = 0
    prompt: Prompt | None = None
    request_hash: str = ""
    group: Hashable = None
    at_most: Decimal | None = None


@dataclass(frozen=True)
class Attempt:
    """One call to a vendor, whatever came of it."""

    ask: Ask
    number: int  # from 1 within its ask
    started: datetime  # UTC
    latency: float  # seconds
    outcome: str  # "ok" or the value of a Fault
    message: str  # for people, "" when ok
    status: int | None
    reply: Reply | None
    usage: Usage
    request_id: str
    prompt_version: str
    prompt_hash: str
    request_hash: str
    at_most: Decimal | None = None  # US dollars taken from the purse for it and not put back


@dataclass(frozen=True)
class Outcome:
    """The end of an ask: a reply (which may be truncated, refused or unreadable) or the error that ended it.

    attempts repeats the Attempt events of this ask, for reading; they have been delivered before. Empty when the
    ask failed with its judge, without a call.
    """

    ask: Ask
    reply: Reply | None
    error: JudgeError | None
    attempts: tuple[Attempt, ...]
