"""An audit whose outcome is known, however it is disturbed: what is asked, what is bought, what comes out."""

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from celery import current_app

from audits import pipeline
from audits.models import Audit, Call, Dataset, Extraction, Judging, Project, Verdict
from audits.results import result
from tests.audits import road
from tests.services.workers import Worker, wait_for
from tests.vendor_server.server import VendorServer

CLAIMS = 2  # of each answer
AT_ONCE = 4  # calls of each judge
FIGURES = (
    *("supported", "contradicted", "unverified", "disputed", "pending", "unscored", "unscored_reasons", "total"),
    *("answers", "coverage", "rate", "faithfulness", "bounds", "samples", "samples_failed", "samples_waiting"),
    "disagreement_rate",
)


def rows(samples: int) -> list[dict[str, Any]]:
    """Answers of two claims each, every claim with a passage that holds it."""
    found = []
    for number in range(samples):
        claims = [f"Rule {number}.{part} allows {number * 7 + part} days." for part in range(CLAIMS)]
        found.append({"id": f"r{number}", "question": "Rules?", "contexts": claims, "answer": " ".join(claims)})
    return found


def script(server: VendorServer, samples: int, seed: int) -> None:
    """Labels of all kinds, judges that differ, and one that refuses, for one audit and all that repeat it."""
    chance = random.Random(seed)
    server.labels(
        *(
            {"claim": f"Rule {number}.{part} ", "label": chance.choice(("CONTRADICTED", "UNVERIFIED")), **model}
            for number in chance.sample(range(samples), samples // 3)
            for part, model in ((0, {}), (1, {"model": chance.choice(("model-a", "claude-b"))}))
        )
    )
    refused = chance.randrange(samples)
    server.rules({"model": "claude-b", "purpose": "verify", "contains": f"Rule {refused}.0 ", "fault": "refusal"})


_calm: dict[tuple[int, int], tuple[Any, int]] = {}  # samples, seed -> what comes out, calls it takes


@dataclass
class Scenario:
    """One dataset, and what an undisturbed audit of it comes to and takes."""

    dataset: Dataset
    server: VendorServer
    expected: tuple[Any, ...]
    needed: int  # calls

    @classmethod
    def prepare(cls, project: Project, server: VendorServer, samples: int = 24, seed: int = 7) -> "Scenario":
        """Run the undisturbed audit, in this process; its outcome is remembered."""
        script(server, samples, seed)
        dataset = road.make_dataset(project, rows(samples))
        for vendor, model in (("openai", "model-a"), ("anthropic", "claude-b")):
            road.judge(vendor, model, price_in=1, price_out=2, concurrency=AT_ONCE)
        if (samples, seed) not in _calm:
            calm = road.work_off(road.start(dataset, name="Undisturbed", reuse=False))
            assert calm.status == Audit.Status.REVIEWING
            assert len(server.requests) == samples * (1 + 2 * CLAIMS) == stored(calm)
            _calm[samples, seed] = outcome(calm), len(server.requests)
            server.script.log.clear()
        return cls(dataset, server, *_calm[samples, seed])

    def start(self, latency: float = 0.02) -> Audit:
        """The same once more, for workers; the vendor takes `latency` seconds for each call."""
        self.server.script.latency = latency
        return road.start(self.dataset, name="Disturbed", reuse=False)

    def advance(self, audit: Audit, calls: int) -> None:
        """Let the vendor answer, two calls at a time, until so many are in the ledger: then it holds what comes.

        So the audit goes no further while this process does something else, however slow the machine is.
        """

        def there() -> bool:
            if stored(audit) >= calls:
                return True
            self.server.allow(2)
            return False

        self.server.allow(0)
        wait_for(there, f"no progress beyond {stored(audit)} of {calls} calls")

    def asked(self) -> int:
        """Calls that reached the vendor."""
        return len(self.server.requests)

    def finish(self, audit: Audit, twice: int = 0) -> None:
        """Wait for the end, and compare: the same verdicts, decisions and figures, each call in the ledger once.

        twice: calls at most that may be in there a second time, because two workers made them at the same time.
        """
        self.server.allow_all()
        wait_for(lambda: status(audit) == Audit.Status.REVIEWING, "the audit did not end")
        pairs = Counter(Verdict.objects.filter(claim__audit=audit).values_list("claim_id", "member_id"))
        assert len(pairs) == audit.claims.count() * 2 and set(pairs.values()) == {1}
        assert outcome(audit) == self.expected
        assert not pipeline.anything_owed(audit)
        ledger = Counter(Call.objects.filter(audit=audit).values_list("member_id", "request_hash"))
        assert len(ledger) == self.needed
        assert sum(ledger.values()) - self.needed <= twice, "what was recorded was bought again"


def status(audit: Audit) -> str:
    """Where the audit is now."""
    return str(Audit.objects.values_list("status", flat=True).get(pk=audit.pk))


def stored(audit: Audit) -> int:
    """Calls in the ledger."""
    return Call.objects.filter(audit=audit).count()


def reach(audit: Audit, calls: int) -> None:
    """Wait until so many calls are in the ledger, or the audit is over."""
    wait_for(
        lambda: stored(audit) >= calls or status(audit) == Audit.Status.REVIEWING,
        f"no progress beyond {calls} calls",
    )


def in_flight(audit: Audit, server: VendorServer, worker: Worker) -> int:
    """Calls of a worker that died which reached the vendor and are not in the ledger."""
    server.settle()
    ids = set(Call.objects.filter(audit=audit).values_list("vendor_request_id", flat=True))
    made = [request for request in server.requests if request["headers"].get("openai-organization") == worker.name]
    return sum(f"req_{request['number']}" not in ids for request in made)


def in_hand(audit: Audit) -> int:
    """Calls that workers have taken on: those in flight, and those that are to follow."""
    cuts = Extraction.objects.filter(audit=audit, status=Extraction.Status.PENDING).exclude(lease=None)
    judgings = Judging.objects.filter(audit=audit, status=Judging.Status.OWED).exclude(lease=None)
    return cuts.count() + CLAIMS * judgings.count()


def outcome(audit: Audit) -> tuple[Any, ...]:
    """All that an audit says: every claim with its decision and both verdicts, and the figures of the result."""
    verdicts = Verdict.objects.filter(claim__audit=audit).order_by("member__position")
    said: dict[int, list[Any]] = {}
    for verdict in verdicts:
        quotes = [(quote["context"], quote["start"], quote["end"]) for quote in verdict.quotes]
        said.setdefault(verdict.claim_id, []).append((verdict.label, verdict.unscored, verdict.grounded, quotes))
    claims = [
        (claim.sample.external_id, claim.position, claim.text, claim.start, claim.end, claim.decision, said[claim.pk])
        for claim in audit.claims.select_related("sample")
    ]
    found = result(audit)
    return sorted(claims), {name: _rounded(getattr(found, name)) for name in FIGURES}


def _rounded(figure: Any) -> Any:
    """Without the last digits, which depend on the order in which claims were stored."""
    numbers = vars(figure) if hasattr(figure, "__dict__") else {"": figure}
    return {name: round(value, 9) if isinstance(value, float) else value for name, value in numbers.items()}


def ring(url: str, audit: Audit, times: int = 1) -> None:
    """Send the task of an audit to the workers behind this broker."""
    with current_app.connection_for_write(url) as link:
        for _ in range(times):
            current_app.send_task("audits.work", args=[audit.pk], ignore_result=True, connection=link)
