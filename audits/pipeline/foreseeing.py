"""How many calls and tokens a panel needs for a dataset, under given habits of its models. Sums, no database."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from audits.judges.base import Purpose
from audits.judges.verifying import room_in
from audits.pipeline.counting import MARK, Load, Size, static_tokens
from audits.pipeline.experience import Experience, extraction_tokens

# Whether contexts fit is decided by a count on the safe side (audits/text/length.py): so much over our usual one.
SAFE = {"zh": 1.1 / 0.8, "en": 4 / 3.5}
PART = 750  # tokens of an answer that are cut in one call (audits/judges/sentence_windows.py)
LEAST = 25  # tokens that a sentence counts at least for that


@dataclass(frozen=True)
class Habits:
    """What a model does with a text. input_ratio: its tokens over ours. per_claim: tokens of reply for each claim."""

    input_ratio: float
    per_claim: float | None  # None: about as long as the claim itself
    claims_per_sentence: float
    verbosity: float = 1.0  # on the reply, where per_claim is not known


# Low, usual and high, where nothing is known: tokenizers and above all models that think differ that much.
UNKNOWN = (Habits(0.8, None, 0.6, 0.6), Habits(1.0, None, 1.2), Habits(1.35, None, 2.0, 3.0))
VERDICT_TOKENS = 160  # one verdict with rationale and quotes, where nothing is known
CLAIM_TOKENS = 15  # what the form of the reply adds to a claim that was cut
GROWTH = 1.3  # a claim that stands by itself over the words of the answer that it is cut from


def habits(known: Experience | None) -> tuple[Habits, Habits, Habits]:
    """Low, usual and high habits; three times the same where the ledger knows the model."""
    if known is None:
        return UNKNOWN
    per_sentence = known.claims_per_sentence or UNKNOWN[1].claims_per_sentence
    one = Habits(known.input_ratio, known.per_claim, per_sentence)
    return (one, one, one)


@dataclass(frozen=True)
class Foreseen:
    """Of one member, for the whole dataset; not rounded yet."""

    calls: float
    tokens_in: float
    tokens_out: float


def foresee_cutting(load: Load, own: Habits) -> Foreseen:
    """One call for each answer, and for each part of a long one; none where the claims are given."""
    calls = tokens_in = tokens_out = 0.0
    for size in load.sizes:
        if size.given:
            continue
        parts = max(1, ceil(max(size.answer, LEAST * size.sentences) / PART))
        calls += parts
        once = extraction_tokens(size.language, size.question, size.answer, size.sentences)
        again = extraction_tokens(size.language, size.question, 0, 0)
        tokens_in += once + (parts - 1) * again
        claims = size.sentences * own.claims_per_sentence
        each = own.per_claim or (_claim(size) + CLAIM_TOKENS) * own.verbosity
        tokens_out += claims * each
    return Foreseen(calls * load.scale, tokens_in * load.scale * own.input_ratio, tokens_out * load.scale)


def foresee_judging(
    load: Load, cutting: Habits, own: Habits, *, room: int | None, together: int, probe_percent: int, planted: int = 0
) -> Foreseen:
    """Verdicts of one judge on every claim of a sample with contexts.

    room: the model's context window in tokens, None: not known. together: claims in one call. probe_percent: of
    claims judged again; planted: claims that are made false, each in two ways.
    """
    judged = load.scale * sum(claims_of(size, cutting) for size in load.sizes if size.passages)
    false = min(1.0, planted / judged) if judged else 0.0
    calls = tokens_in = tokens_out = 0.0
    each = own.per_claim or VERDICT_TOKENS * own.verbosity
    for size in load.sizes:
        claims = claims_of(size, cutting)
        if not size.passages or not claims:
            continue
        for asked, grouped in _questions(size, claims, together, probe_percent, false):
            needed = _needed(size, own.input_ratio, room, grouped)
            calls += asked * len(needed)
            tokens_in += asked * sum(needed)
            tokens_out += asked * max(grouped, len(needed)) * each
    return Foreseen(calls * load.scale, tokens_in * load.scale, tokens_out * load.scale)


def claims_of(size: Size, cutting: Habits) -> float:
    """Claims of one answer: those that are given, else as many as are usually cut."""
    return size.given or size.sentences * cutting.claims_per_sentence


def _questions(
    size: Size, claims: float, together: int, probe_percent: int, planted: float
) -> Iterator[tuple[float, float]]:
    """(how many, claims in each): the groups of a sample's claims, and the probes, which ask about one claim.

    A probed claim is asked about twice: the same again, and, if there are several contexts, in another order. So is
    a planted one: a specific and a vague variant. planted: share of claims.
    """
    groups = claims if together == 1 else max(1.0, claims / together + (together - 1) / (2 * together))
    yield groups, claims / groups
    if probe_percent:
        yield claims * probe_percent / 100 * min(2, size.passages), 1.0
    if planted:
        yield claims * planted * 2, 1.0


def _needed(size: Size, ratio: float, room: int | None, claims: float) -> list[float]:
    """The model's input tokens of each call that a question about so many claims takes.

    Contexts that do not fit are shown window by window to each claim. A last call shows the evidence found in them,
    which fills about as much.
    """
    fixed = static_tokens(Purpose.VERIFY, size.language) + size.question
    one_claim = _claim(size) + MARK
    free = room_in(room)
    windows = ceil(size.contexts * SAFE.get(size.language, 1.0) / free)
    if windows <= 1:
        return [ratio * (fixed + size.contexts + claims * one_claim)]
    each = ratio * (fixed + size.contexts / windows + one_claim)
    return [each] * ((windows + 1) * max(1, round(claims)))


def _claim(size: Size) -> float:
    """Tokens of one claim, as we count them."""
    return size.given_tokens / size.given if size.given else GROWTH * size.answer / max(1, size.sentences)
