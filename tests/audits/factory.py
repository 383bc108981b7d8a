"""Small audits for tests of pages: a dataset, a panel and claims with given labels, written without any judge."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.utils import timezone

from audits.decision import Voice, decide
from audits.labels import Label, Unscored
from audits.models import Audit, Claim, Dataset, Extraction, Judge, Judging, PanelMember, Project, Sample, Verdict

S, C, U = Label.SUPPORTED, Label.CONTRADICTED, Label.UNVERIFIED
ANSWER = "The fee is 2 %. It is paid yearly. Call us for more."


def make_dataset(project: Project, samples: int = 3, **fields: Any) -> Dataset:
    """A ready dataset of `samples` rows, whose contexts hold the words of the answer."""
    number = Dataset.objects.count()
    given: dict[str, Any] = {
        "name": "Loan answers",
        "filename": "loans.csv",
        "stored_as": f"{number:032x}.csv",
        "sha256": f"{number:064x}",
        "size": 1000,
        "status": Dataset.Status.READY,
        "rows_total": samples,
        "rows_done": samples,
    }
    dataset = Dataset.objects.create(project=project, **(given | fields))
    for position in range(samples):
        make_sample(dataset, position)
    return dataset


def make_sample(dataset: Dataset, position: int, **fields: Any) -> Sample:
    """One row."""
    given: dict[str, Any] = {
        "line": position + 2,
        "external_id": f"q-{position + 1}",
        "question": f"What is fee number {position + 1}?",
        "answer": ANSWER,
        "contexts": ["Fees: the fee is 2 % of the sum.", "Unrelated passage."],
    }
    return Sample.objects.create(dataset=dataset, position=position, **(given | fields))


def make_judge(vendor: str, model: str, price: str | None = "1", **fields: Any) -> Judge:
    """A judge shared by all projects; price per million tokens, None: unknown."""
    known = None if price is None else Decimal(price)
    judge, _ = Judge.objects.get_or_create(
        vendor=vendor,
        model=model,
        base_url="",
        project=None,
        defaults={"price_in": known, "price_out": known} | fields,
    )
    return judge


def make_audit(
    dataset: Dataset, *, panel: Sequence[str] = ("deepseek:deepseek-v4", "anthropic:claude-x"), **fields: Any
) -> Audit:
    """An audit of the dataset with one pending extraction per sample; extractor and primary are the same judge."""
    given: dict[str, Any] = {"name": "October", "seed": 7, "expected_calls": 20, "expected_cost": Decimal("1.25")}
    audit = Audit.objects.create(project=dataset.project, dataset=dataset, **(given | fields))
    for role, names in ((PanelMember.Role.EXTRACTOR, panel[:1]), (PanelMember.Role.JUDGE, panel)):
        for position, name in enumerate(names):
            vendor, model = name.split(":", 1)
            PanelMember.objects.create(
                audit=audit,
                judge=make_judge(vendor, model),
                role=role,
                position=position,
                vendor=vendor,
                model=model,
                family=vendor,
                price_in=1,
                price_out=1,
            )
    Extraction.objects.bulk_create(Extraction(audit=audit, sample=sample) for sample in dataset.samples.all())
    return audit


def cut(audit: Audit, sample: Sample, claims: Sequence[str] = (), **fields: Any) -> list[Claim]:
    """Settle the extraction of a sample with claims of these texts, all in its first sentence; judging is owed."""
    extraction = Extraction.objects.get(audit=audit, sample=sample)
    Extraction.objects.filter(pk=extraction.pk).update(
        **({"status": Extraction.Status.DONE, "sentences": [[0, 15], [16, 34], [35, 52]]} | fields)
    )
    made = [
        Claim.objects.create(
            audit=audit, extraction=extraction, sample=sample, position=number, sentence=1, text=text, start=0, end=15
        )
        for number, text in enumerate(claims)
    ]
    if made:
        for member in audit.panel:
            Judging.objects.create(audit=audit, extraction=extraction, member=member)
    return made


def speak(claim: Claim, *labels: Label | Unscored | None, quote: str = "the fee is 2 %") -> Claim:
    """One verdict per judge of the panel (None: this judge has not spoken yet), and the decision once all have."""
    context = claim.sample.contexts[0] if claim.sample.contexts else ""
    at = context.find(quote)
    voices = []
    for member, label in zip(claim.audit.panel, labels, strict=True):
        if label is None:
            continue
        usable = isinstance(label, Label)
        found = {"context": 0, "text": quote, "start": at, "end": at + len(quote)}
        lost = {"context": 0, "text": quote, "start": None, "end": None}
        Verdict.objects.create(
            claim=claim,
            member=member,
            label=label.value if usable else "",
            unscored="" if usable else label.value,
            rationale=f"{member.letter} because",
            quotes=[found if at >= 0 else lost] if usable and label is not U else [],
            grounded=usable and (label is U or at >= 0),
        )
        voices.append(Voice(label if usable else None, usable and (label is U or at >= 0)))
    if len(voices) == len(labels):
        claim.decision = decide(voices)
        claim.save(update_fields=["decision"])
    return claim


def judged_audit(project: Project, **fields: Any) -> Audit:
    """A finished audit of three samples: six claims SS, SS, CC, UU, S/U (disputed), S/refused (disputed)."""
    given: dict[str, Any] = {"status": Audit.Status.REVIEWING, "judged_at": timezone.now()}
    audit = make_audit(make_dataset(project), **(given | fields))
    one, two, three = audit.dataset.samples.all()
    first = cut(audit, one, ["The fee is 2 %.", "The fee is yearly.", "The fee is low."])
    second = cut(audit, two, ["The bank was founded in 1900.", "The bank has a desk.", "The desk is open."])
    cut(audit, three, is_refusal=True, no_claims={"1": "refusal", "2": "refusal", "3": "transition"})
    said = [(S, S), (S, S), (C, C), (U, U), (S, U), (S, Unscored.REFUSED)]
    for claim, labels in zip(first + second, said, strict=True):
        speak(claim, *labels)
    Judging.objects.filter(audit=audit).update(status=Judging.Status.DONE)
    return audit
