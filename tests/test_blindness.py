"""Blind means: nothing of the other judge, the generator, people or the dataset's other columns is ever sent.

Two proofs over real HTTP, on every request of every kind (extraction and what it asks again, verdicts, retries,
windows of long contexts, probes, a later audit after the experts): no request holds a word that only one of those
could have brought; and a judge's requests are the same, byte for byte, whatever those others say. And the desk of
an expert shows nothing of what else the file says of a row.
"""

import datetime
import json
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from audits.models import Audit, Call, Claim, Dataset, GivenLabel, Probe, Project, Role, Sample, Verdict
from review.adjudication import adjudicate
from review.models import Adjudication, Slot
from review.queue import take
from review.scope import Scope
from review.spotcheck import open_review
from tests.audits import road
from tests.audits.batches import driving
from tests.review.factory import C, S, U, make_audit
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
EXTRACTOR, JUDGE_A, JUDGE_B = "gamma-extractor", "alpha-judge", "beta-judge"
MEMBERS = (("deepseek", EXTRACTOR), ("openai", JUDGE_A), ("anthropic", JUDGE_B))
GENERATOR = "zeta-generator-7b"
LOAN = "The loan costs 5 percent. It runs 12 months. The manager is Ms Otter."
FEE = "The annual fee is 120 euros."
# One canary for each source; nothing else in the world holds these words.
OUTPUT = {model: f"{model}-invented-this-quote" for _, model in MEMBERS}
EXPERT = "expert-comment-canary"
CARRIED = (  # what the file says of a row besides what is judged: each lands in a field of its own, see make_dataset
    "reference-canary",
    "row-generator-canary",
    "1987-06-05",
    "tag-canary",
    "human-label-canary",
    "metadata-canary",
)
ELSEWHERE = (
    GENERATOR,
    EXPERT,
    "sample-id-canary",
    *CARRIED,
    "dataset-name-canary",
    "rows.jsonl",
    "project-canary",
    "client-canary",
    "audit-name-canary",
    "expert-name-canary",
)
BODY = {"model", "messages", "system", "max_tokens", "max_completion_tokens", "response_format", "output_config"}
BODY |= {"store", "thinking"}  # said to the vendor of themselves: keep nothing, do not think aloud
HEADERS = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
HEADERS |= {"authorization", "x-api-key", "anthropic-version", "x-stainless-", "anthropic-beta"}


def filler(about: str, paragraphs: int) -> str:
    return " ".join(f"Paragraph {n} explains the rules of {about} in some detail." for n in range(paragraphs))


def rows(tag: str) -> list[dict[str, Any]]:
    """Three samples, one with contexts that need windows. tag: what the columns that nobody may see hold."""
    texts = [
        ("What does the loan cost?", ["The loan costs 5 percent.", "It runs 12 months."], LOAN),
        (
            "What is the fee?",
            [filler("shipping", 70), filler("delivery", 40) + f" {FEE}", filler("returns", 50)],
            FEE,
        ),
        ("贷款利率是多少？", ["年利率为5%。", "期限为12个月。"], "年利率为5%。期限为12个月。经理姓王。"),
    ]
    hidden = {
        "reference": f"reference-canary{tag}",
        "model": f"row-generator-canary{tag}",
        "created_at": "1987-06-05T04:03:02Z",
        "tags": [f"tag-canary{tag}"],
        "human_label": f"human-label-canary{tag}",
        "source": f"metadata-canary{tag}",
    }
    return [
        {"id": f"sample-id-canary{tag}-{number}", "question": question, "contexts": contexts, "answer": answer}
        | hidden
        for number, (question, contexts, answer) in enumerate(texts)
    ]


def make_dataset(project: Project, tag: str = "", generator: str = GENERATOR) -> Dataset:
    """Imported by the real road. Every canary of CARRIED is where it belongs, or its absence would prove nothing."""
    dataset = road.make_dataset(project, rows(tag), name=f"dataset-name-canary{tag}", generator=generator)
    samples = dataset.samples.all()
    assert len(samples) == 3
    for sample in samples:
        labels = [given.word for given in sample.given_labels.all()]
        told = (sample.reference, sample.generator, str(sample.timestamp), sample.tags, labels, sample.metadata)
        assert not [canary for canary, field in zip(CARRIED, told, strict=True) if canary not in str(field)]
    return dataset


def judge_all(dataset: Dataset, **options: Any) -> Audit:
    """An audit with a seed of its own, so that two of them ask the same, worked off to the end."""
    extractor, *judges = (road.judge(*name, context_tokens=4000, price_in=1, price_out=1) for name in MEMBERS)
    options = {"name": "audit-name-canary", "reuse": False, "probe_percent": 100, **options}
    audit = road.start(dataset, *judges, extractor=extractor, **options)
    Audit.objects.filter(pk=audit.pk).update(seed=7, order_seed=7)
    audit.refresh_from_db()
    (driving if audit.batch else road).work_off(audit)
    audit.refresh_from_db()
    assert audit.status == Audit.Status.REVIEWING
    return audit


def script(server: VendorServer, *, quiet: Sequence[str] = ()) -> None:
    """Every fault that makes calls be made again. quiet: models that say nothing odd and never fail."""
    loud = {vendor: model for vendor, model in MEMBERS if model not in quiet}
    faults: list[dict[str, Any]] = []
    if "deepseek" in loud:
        left_out = {"claims": [{"sentence": 1, "text": "The loan costs 5 percent.", "vague": False}], "no_claims": []}
        left_out["claims"].append({"sentence": 99, "text": OUTPUT[EXTRACTOR], "vague": True})
        faults.append({"model": EXTRACTOR, "contains": LOAN[:20], "times": 1, "text": json.dumps(left_out)})
    for model in (JUDGE_A, JUDGE_B):
        if model in loud.values():
            wrong = {"purpose": "verify", "model": model, "times": 1}
            faults += [wrong | {"status": 500}, wrong | {"fault": "malformed"}]
            faults += [wrong | {"omit": [1]}, wrong | {"conflicting": True}, wrong | {"fault": "truncated"}]
            faults += [wrong | {"fault": "two_objects"}, wrong | {"wrong_ids": True}, wrong | {"invent_quotes": True}]
    server.rules(*faults)
    server.labels(
        *(
            {"claim": claim, "model": model, "label": "CONTRADICTED", "quote": OUTPUT[model]}
            for model in loud.values()
            for claim in ("Otter", "经理")
        )
    )


def sent(server: VendorServer, model: str | None = None) -> list[dict[str, Any]]:
    """All requests, single ones and those within batches; of one model."""
    both = [*server.requests, *server.batches.asked]
    return [request for request in both if model in (None, request["model"])]


def forbidden(model: str) -> list[str]:
    """What a request of this model may not hold."""
    others = [other for _, other in MEMBERS if other != model]
    words = [
        *ELSEWHERE,
        *others,
        *(OUTPUT[other] for other in others),
        *(f"Rationale of {other}" for other in others),
    ]
    return words + [f"sk-test-{vendor}" for vendor, other in MEMBERS if other != model]


def label_as_expert(audit: Audit) -> None:
    """An expert labels what is disputed, with a comment."""
    expert = get_user_model().objects.create_user("expert-name-canary", password="a-long-password-1")
    audit.project.memberships.create(user=expert, role=Role.EXPERT)
    open_review(audit)
    while slot := take(expert, Scope((audit.project,))):
        adjudicate(slot, slot.token, user=expert, label="UNVERIFIED", reason=EXPERT, idempotency_key=uuid.uuid4())


@pytest.fixture
def secret(project: Project) -> Project:
    """A project whose names are canaries."""
    project.name, project.client, project.system = "project-canary", "client-canary", GENERATOR
    project.save()
    return project


def test_no_request_holds_what_only_another_source_knows(secret: Project, vendor_server: VendorServer) -> None:
    script(vendor_server)
    dataset = make_dataset(secret)
    first = judge_all(dataset)
    said = Verdict.objects.filter(claim__audit=first)
    assert {OUTPUT[JUDGE_A], OUTPUT[JUDGE_B]} <= {quote["text"] for v in said for quote in v.quotes}
    assert said.filter(rationale=f"Rationale of {JUDGE_A}.").exists()
    label_as_expert(first)
    assert Adjudication.objects.filter(reason=EXPERT).exists()
    script(vendor_server)
    judge_all(dataset, probe_percent=0)  # judged again after the experts have spoken

    kinds = Counter((request["model"], request["purpose"]) for request in sent(vendor_server))
    assert kinds[EXTRACTOR, "extract"] > 2 * 3  # asked again about what was left out
    assert set(kinds) == {(EXTRACTOR, "extract"), (JUDGE_A, "verify"), (JUDGE_B, "verify")}
    assert said.filter(windows__gt=1).exists() and Call.objects.filter(attempt__gt=1).exists()
    probes = Probe.objects.filter(audit=first, status=Probe.Status.DONE)
    scored = said.exclude(label="").count()  # which calls meet the faults, and so which claims stay unscored, varies
    assert probes.count() == 2 * scored >= 2 * Claim.objects.filter(audit=first).count()
    for request in sent(vendor_server):
        everything = json.dumps(request, ensure_ascii=False)
        own = request["body"] | {"model": ""}
        for word in forbidden(request["model"]):
            assert word not in everything, (word, request["purpose"])
        assert request["model"] not in json.dumps(own, ensure_ascii=False)  # nor is it told who it is
        assert set(request["body"]) <= BODY  # no user, no metadata, no cache key that would say whose request it is
        assert not [name for name in request["headers"] if not name.startswith(tuple(HEADERS))]


def test_no_batch_holds_it_either(secret: Project, vendor_server: VendorServer, settings: Any) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0
    script(vendor_server)
    judge_all(make_dataset(secret), batch=True, probe_percent=0)
    handed = list(vendor_server.batches.all.values())
    models = {request["model"] for request in vendor_server.batches.asked}
    assert models == {JUDGE_A, JUDGE_B} and len(handed) >= 2
    for batch in handed:
        (model,) = {(line.get("body") or line.get("params"))["model"] for line in batch.lines}
        everything = json.dumps([batch.lines, batch.headers, batch.metadata], ensure_ascii=False)
        assert not [word for word in forbidden(model) if word in everything]


def bodies(server: VendorServer, model: str) -> Counter[str]:
    """The requests of a model, in whatever order they came."""
    return Counter(json.dumps(request["body"], sort_keys=True) for request in sent(server, model))


def test_a_model_is_asked_the_same_whatever_anybody_else_says(secret: Project, vendor_server: VendorServer) -> None:
    everybody = [model for _, model in MEMBERS]
    script(vendor_server, quiet=everybody)
    judge_all(make_dataset(secret), probe_percent=50)
    undisturbed = {model: bodies(vendor_server, model) for model in everybody}
    assert all(sum(asked.values()) >= 3 for asked in undisturbed.values())

    changed = make_dataset(secret, tag="-other", generator="another-generator")
    for loud in (JUDGE_A, JUDGE_B):  # one fails, contradicts, invents; the second time after the experts have spoken
        vendor_server.script.reset()
        script(vendor_server, quiet=[model for model in everybody if model != loud])
        audit = judge_all(changed, probe_percent=50)
        for model in everybody:
            if model == loud:
                assert sum(bodies(vendor_server, model).values()) > sum(undisturbed[model].values())
            else:
                assert bodies(vendor_server, model) == undisturbed[model], (loud, model)
        if loud == JUDGE_A:
            label_as_expert(audit)


def test_an_expert_reads_nothing_else_of_the_file(project: Project, signed_in: Any, expert: Any) -> None:
    open_review(make_audit(project, [(S, C)]))
    reference, generator, _, tag, word, other = CARRIED
    written = datetime.datetime(1987, 6, 5, 4, 3, tzinfo=datetime.UTC)
    told = {"reference": reference, "generator": generator, "tags": [tag], "metadata": {"source": other}}
    Sample.objects.update(timestamp=written, **told)
    GivenLabel.objects.create(sample=Sample.objects.get(), position=0, word=word, label=U)
    browser = signed_in(expert)
    browser.post(reverse("review_take"))
    slot = Slot.objects.held().get(reviewer=expert)
    before = browser.get(reverse("review_desk")).content.decode()
    form = {"label": U, "token": str(slot.token), "key": str(uuid.uuid4())}
    browser.post(reverse("review_label", args=(slot.code,)), form)
    shown = reverse("review_reveal", args=(slot.adjudications.get().pk,))
    after = browser.post(shown, follow=True).content.decode()
    assert 'aria-keyshortcuts="1"' in before and "Judge A said" in after
    assert not [canary for canary in (*CARRIED, "1987", "loanbot-7b") if canary in before + after]
