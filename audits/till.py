"""The money of one stretch of work: reserved before its calls are made, settled together with their results."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from audits import pipeline
from audits.asks import Attempt
from audits.inquiry import Part
from audits.judges.base import JudgeSpec
from audits.models import Audit, Call
from audits.prices import size_of
from audits.purse import Purse

CALLS = 3  # that one part may need: a second one with twice the room for its reply counts double


class Till:
    """Keeps a budget. Without one, everything is affordable and nothing is counted here."""

    def __init__(self, audit: Audit) -> None:
        self.purse = Purse() if audit.budget is not None else None
        self._audit = audit
        self._token = uuid.uuid4()
        self._spent = Decimal(0)  # since the last bill
        self._open: dict[int, Part] = {}  # parts that are being asked, each with what it holds

    def afford(self, parts: Sequence[Part], specs: Mapping[int, JudgeSpec]) -> list[Part]:
        """Reserve for as many of these parts as the budget has room for, the first ones first; the others.

        Money is set aside for the dearest course that a part can take, so no call in flight can cross the budget.
        """
        if self.purse is None:
            return []
        for part in parts:
            spec = specs[part.member.pk]
            assert part.prompt is not None
            part.at_most = part.member.prices.at_most(size_of(part.prompt), spec.max_tokens) or Decimal(0)
        if self._reserve(parts):
            return []
        fitting = 0
        while fitting < len(parts) and self._reserve(parts[fitting : fitting + 1]):
            fitting += 1
        return list(parts[fitting:])

    def _reserve(self, parts: Sequence[Part]) -> bool:
        wanted = {id(part): CALLS * (part.at_most or Decimal(0)) for part in parts}
        total = sum(wanted.values(), Decimal(0))
        if not pipeline.reserve(self._audit, self._token, total):
            return False
        for part in parts:
            part.held = wanted[id(part)]
            self._open[id(part)] = part
        if self.purse is not None:
            self.purse.put(total)
        return True

    def called(self, part: Part, attempt: Attempt, call: Call) -> None:
        """A call was made. One that was turned down has given its money back already."""
        if self.purse is None or attempt.at_most is None:
            return
        part.held -= attempt.at_most
        self._spent += call.cost if call.cost is not None else attempt.at_most

    def ended(self, part: Part) -> None:
        """No further call will be made for a part: what it still holds goes back to the audit with the next bill."""
        if self.purse is not None and self._open.pop(id(part), None) is not None:
            self.purse.take(part.held)
            part.held = Decimal(0)

    def bill(self) -> pipeline.Bill | None:
        """What has been spent since the last bill that was paid, and what is still held; None without a budget."""
        if self.purse is None:
            return None
        held = sum((part.held for part in self._open.values()), Decimal(0))
        return pipeline.Bill(self._token, self._spent, held)

    def paid(self, bill: pipeline.Bill | None) -> None:
        """The bill was stored. Where the allowance had run out, all it held counts as spent; a new one is begun."""
        if bill is None:
            return
        self._spent -= bill.spent
        if bill.absorbed:
            self._token = uuid.uuid4()

    def renew(self) -> None:
        """Hold on to the allowance."""
        if self.purse is not None:
            pipeline.renew_allowance(self._token)

    def close(self) -> None:
        """Give back what is left. Only when no call is in flight."""
        if self.purse is not None:
            pipeline.release_allowance(self._audit, self._token)

    def cheapest(self, parts: Iterable[Part]) -> Decimal:
        """US dollars that must be free for any of these parts to be asked."""
        return min(CALLS * (part.at_most or Decimal(0)) for part in parts)
