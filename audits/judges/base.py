"""The one protocol of every judge and extractor, and what they give back."""

import random
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from audits.labels import Label, Unscored


@dataclass(frozen=True)
class JudgeSpec:
    """Everything needed to build a judge; holds the key, so it is never logged, stored or pickled."""

    vendor: str  # a key of judges.VENDORS
    model: str
    api_key: str = field(default="", repr=False)
    base_url: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)  # sent only if set; no sampling parameter by default
    timeout: float = 120.0  # seconds of wall clock for one call
    max_tokens: int = 4000

    @property
    def name(self) -> str:
        """VENDOR:MODEL, as the command line writes it."""
        return f"{self.vendor}:{self.model}"


class Purpose(StrEnum):
    """Why a call is made."""

    EXTRACT = "extract"
    VERIFY = "verify"


@dataclass(frozen=True)
class Sentence:
    """A numbered sentence of an answer; start and end are code point offsets into the answer."""

    number: int  # from 1
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class ClaimText:
    """A claim as shown to a judge: number as in the prompt (from 1) and text, which stands by itself."""

    number: int
    text: str


@dataclass(frozen=True)
class Task:
    """What is asked, apart from any vendor: the same task gives every vendor the same words.

    Extraction uses question, answer, sentences, neighbours; verification uses question, contexts, claims.
    contexts are in the order shown to the judge and numbered from 1 in that order.
    Nothing of another judge, of the generator or of an expert can be in here: that is what blind means.
    """

    purpose: Purpose
    language: str  # "en" | "zh"
    question: str
    answer: str = ""
    sentences: tuple[Sentence, ...] = ()
    contexts: tuple[str, ...] = ()
    claims: tuple[ClaimText, ...] = ()
    excerpts: bool = False  # the contexts are cut out of longer ones, which the prompt then says
    neighbours: tuple[Sentence, ...] = ()  # of the same answer, shown to be read only: they yield no claims
    again: bool = False  # an earlier reply left these sentences out; says so, and makes it another request


@dataclass(frozen=True)
class Prompt:
    """One request without its vendor. system and prefix repeat between calls, so vendors cache them."""

    system: str
    prefix: str
    suffix: str
    schema: dict[str, Any]
    schema_name: str
    version: str  # name of the template file without ".txt", as "verdict_v1.en"
    hash: str  # SHA-256 of the template file, hexadecimal
    shared: bool = False  # other requests with the same system and prefix follow soon: caching them pays

    @property
    def user(self) -> str:
        """The user's message: prefix and suffix."""
        return self.prefix + self.suffix


@dataclass(frozen=True)
class Usage:
    """Tokens of one call. None means that the vendor did not report it, which is not zero."""

    tokens_in: int | None = None  # all input tokens, cached ones included
    tokens_out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@dataclass(frozen=True)
class Reply:
    """A vendor's answer as it came, before anything is read out of it."""

    text: str
    model: str  # the model that says it answered
    finish: str  # "stop" | "length" | "refusal"
    usage: Usage = Usage()
    request_id: str = ""
    latency: float = 0.0  # seconds
    notes: tuple[str, ...] = ()  # e.g. parameters that the model refused and that were dropped


class Fault(StrEnum):
    """Kinds of failed calls; the engine's policy hangs on these."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    NETWORK = "network"
    TIMEOUT = "timeout"
    BAD_BODY = "bad_body"  # 200 with HTML, cut JSON, no choices
    AUTH = "auth"
    QUOTA = "quota"
    NOT_FOUND = "not_found"  # unknown model or address
    CONFIG = "config"  # no key, unusable address, parameter refused for good
    TOO_LONG = "too_long"
    REFUSED = "refused"
    BUDGET = "budget"  # the audit's budget does not allow the call; it was not made


RETRY_LATER = frozenset(
    {Fault.RATE_LIMIT, Fault.OVERLOADED, Fault.SERVER, Fault.NETWORK, Fault.TIMEOUT, Fault.BAD_BODY}
)
STOP_JUDGE = frozenset({Fault.AUTH, Fault.QUOTA, Fault.NOT_FOUND, Fault.CONFIG})
FINAL = {Fault.TOO_LONG: Unscored.TOO_LONG, Fault.REFUSED: Unscored.REFUSED}


class JudgeError(Exception):
    """One failed call, in plain and picklable words: never the SDK's own exception, which carries the key."""

    def __init__(
        self,
        fault: Fault,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        request_id: str = "",
        usage: Usage = Usage(),
        latency: float = 0.0,
    ) -> None:
        super().__init__(fault, message)  # exactly the positional arguments, or it would not unpickle
        self.fault = fault
        self.message = message
        self.status = status
        self.retry_after = retry_after  # seconds
        self.request_id = request_id
        self.usage = usage
        self.latency = latency

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Quote:
    """A verbatim piece of a context. context: 0-based index in the sample's own order. found: it really stands there.

    start and end are code point offsets into that context, None when it was not found.
    """

    context: int
    text: str
    start: int | None = None
    end: int | None = None

    @property
    def found(self) -> bool:
        """Whether the quote was found in the contexts."""
        return self.start is not None


@dataclass(frozen=True)
class Judgement:
    """What one judge says of one claim. label None: unscored, with the reason."""

    claim: int  # the number of the claim as shown in the prompt
    label: Label | None
    rationale: str = ""
    quotes: tuple[Quote, ...] = ()
    unscored: Unscored | None = None
    detail: str = ""  # what was wrong, for people
    notes: tuple[str, ...] = ()
    conflict: bool = False  # the judge found passages that contradict each other on this claim
    shown: tuple[tuple[int, int, int], ...] | None = None  # (context, start, end) that was shown; None: all of it
    windows: int = 1  # calls over parts of the contexts behind this judgement

    @property
    def grounded(self) -> bool:
        """UNVERIFIED needs no evidence; the other labels need a quote that is really there."""
        return self.label is Label.UNVERIFIED or any(quote.found for quote in self.quotes)


@dataclass(frozen=True)
class ExtractedClaim:
    """A self-contained claim, with its sentence's number and its span in the answer (code points).

    ambiguous: a word in it ("they", "last year") has a meaning that question and answer do not settle.
    """

    sentence: int
    text: str
    start: int
    end: int
    vague: bool = False
    ambiguous: bool = False


@dataclass(frozen=True)
class Extracted:
    """All claims of an answer, and for each sentence without claims the reason why not."""

    claims: tuple[ExtractedClaim, ...]
    no_claims: Mapping[int, str]  # sentence number -> reason: question | opinion | refusal | transition | other
    unaccounted: tuple[int, ...] = ()  # sentences with neither
    notes: tuple[str, ...] = ()  # what the reply held that was not used, for people
    parts: int = 1  # calls whose claims were put together
    asked_again: bool = False  # for sentences that the first reply left out


T = TypeVar("T")
Answer = Reply | JudgeError
"""What came of one task: a reply as it is, or the fault that ended it for good (a FINAL one, or one that stayed)."""

Steps = Generator[Sequence[Task], Sequence[Answer], T]
"""A question that may take several calls. It yields tasks that can be asked at once and is sent their answers in the
same order, until it returns its result. It holds no state but its own: run again from the start with the same answers
it comes to the same result, which is how work goes on after a crash."""


class Judge(Protocol):
    """A vendor's model behind one question: complete(task) -> Reply.

    Long-lived: built once per process and event loop, safe for many calls at once, no state between calls.
    """

    spec: JudgeSpec

    async def complete(self, task: Task, *, prompt: Prompt | None = None, max_tokens: int | None = None) -> Reply:
        """Make one call and one only: no retries, no waiting. Raises JudgeError, never an SDK exception."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


def context_order(seed: int, count: int) -> Sequence[int]:
    """The order in which a judge sees `count` contexts: a permutation of range(count) from a recorded seed."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order
