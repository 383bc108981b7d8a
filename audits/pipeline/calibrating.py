"""What a calibration owes: the claims that people labelled as they stand, and answers labelled as a whole."""

from collections.abc import Iterable, Iterator, Sequence

from audits.human_labels import Given
from audits.judges.base import Extracted, ExtractedClaim, Purpose, Sentence, Task
from audits.judges.placing import Places
from audits.models import Audit, Dataset, Extraction, PanelMember, Sample
from audits.pipeline.labelled import labelled_keys, labels_of
from audits.pipeline.owing import Question
from audits.pipeline.panel import PanelError
from audits.text.normalise import find
from audits.text.ranking import Ranking
from audits.text.sentences import split_sentences
from audits.text.vagueness import is_vague

BATCH = 500
NO_LABELS = "This dataset holds no labels by people that a judge could be held against, so nothing can be calibrated."
OTHER_PANEL = "The calibration is of other judges than these. Choose its judges, or name no calibration."


def owe_calibration(audit: Audit) -> None:
    """Extractions of the answers with usable labels, in the transaction that starts the audit. Raises PanelError.

    Where claims have labels, they are recorded as the answer's claims: nobody is asked to cut it, and nothing is paid
    for that. An answer whose label is of the whole is cut as always. Others are no part of the audit.
    """
    # Not above: recording rests on budgeting, which resumes audits, and starting one comes here.
    from audits.pipeline.recording import Result, store_claims

    extractor = audit.members.get(role=PanelMember.Role.EXTRACTOR)
    owed = 0
    for samples in _batches(audit.dataset):
        given = labels_of([sample.pk for sample in samples])
        usable = [sample for sample in samples if sample.pk in given and given[sample.pk].usable]
        rows = Extraction.objects.bulk_create(
            Extraction(audit=audit, sample=sample, status=_status(sample)) for sample in usable
        )
        results = [
            Result(*_given(extractor, row, sample, given[sample.pk]), call=None)
            for row, sample in zip(rows, usable, strict=True)
            if given[sample.pk].claims and row.status == Extraction.Status.PENDING
        ]
        store_claims(audit, results)
        owed += len(rows)
    if not owed:
        raise PanelError("no_labels", NO_LABELS)


def check_calibrated_by(calibration: Audit, audit: Audit) -> None:
    """Whether this audit's panel is the one that was calibrated. Raises PanelError."""
    finished = calibration.calibration and calibration.status == Audit.Status.REVIEWING
    if calibration.project_id != audit.project_id or not finished or seats(calibration) != seats(audit):
        raise PanelError("other_panel", OTHER_PANEL)


def seats(audit: Audit) -> set[tuple[str, str, str]]:
    """(vendor, model, address) of the judges."""
    return set(audit.panel.values_list("vendor", "model", "base_url"))


def _batches(dataset: Dataset) -> Iterator[list[Sample]]:
    """The samples that hold labels, in their order."""
    keys = labelled_keys(dataset)
    for at in range(0, len(keys), BATCH):
        yield list(Sample.objects.filter(pk__in=keys[at : at + BATCH]).order_by("position"))


def _status(sample: Sample) -> str:
    """An empty answer has no claims and needs no call."""
    return Extraction.Status.PENDING if sample.answer.strip() else Extraction.Status.DONE


def _given(extractor: PanelMember, row: Extraction, sample: Sample, given: Given) -> tuple[Question, Extracted]:
    """The claims that people labelled, as if an extractor had cut them."""
    sentences = tuple(split_sentences(sample.answer)) or (Sentence(1, sample.answer, 0, len(sample.answer)),)
    task = Task(
        purpose=Purpose.EXTRACT,
        language=sample.language,
        question=sample.question,
        answer=sample.answer,
        sentences=sentences,
    )
    claims = tuple(placed(given.claims, sample.answer, sentences))
    return Question(extractor, row, sample, task), Extracted(claims, no_claims={})


def placed(texts: Iterable[str], answer: str, sentences: Sequence[Sentence]) -> Iterator[ExtractedClaim]:
    """Each text with its place: where its words stand in the answer, else the sentence that shares most with it.

    A text that shares nothing with any sentence stands for the whole answer.
    """
    ranking = Ranking([sentence.text for sentence in sentences])
    whole, places = Sentence(0, answer, 0, len(answer)), Places(answer)
    for text in texts:
        start, end = places.next(text, whole)
        sentence = next((one for one in reversed(sentences) if one.start <= start), sentences[0])
        if (start, end) == (whole.start, whole.end) and find(text, answer) is None:  # reworded: nowhere as it is
            scores = ranking.scores(text)
            sentence = sentences[scores.index(max(scores))]
            start, end = (sentence.start, sentence.end) if max(scores) > 0 else (whole.start, whole.end)
        yield ExtractedClaim(sentence.number, text, start, end, vague=is_vague(text))
