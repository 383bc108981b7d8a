"""What a calibration owes: the claims that people labelled as they stand, and answers labelled as a whole."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from audits.judges.base import Extracted, ExtractedClaim, Purpose, Sentence, Task
from audits.judges.placing import Places
from audits.models import Audit, Dataset, Extraction, PanelMember, Sample
from audits.pipeline.labelled import labelled_keys, labels_of
from audits.pipeline.owing import Question
from audits.pipeline.panel import PanelError
from audits.text.normalise import compact
from audits.text.ranking import Ranking
from audits.text.sentences import split_sentences
from audits.text.vagueness import is_vague

BATCH = 500
NO_LABELS = "This dataset holds no labels by people that a judge could be held against, so nothing can be calibrated."
OTHER_PANEL = "The calibration is of other judges than these. Choose its judges, or name no calibration."


@dataclass(frozen=True)
class Labelled:
    """An answer with usable labels. claims: the labelled ones, placed; empty where only the whole has any."""

    sample: int
    claims: tuple[ExtractedClaim, ...]


def labelled_answers(dataset: Dataset) -> list[Labelled]:
    """What a calibration of this dataset asks about. Raises PanelError when that is nothing.

    Apart from `owe_calibration`, since it takes about a millisecond for each answer and needs no lock.
    """
    found = []
    for samples in _batches(labelled_keys(dataset)):
        given = labels_of([sample.pk for sample in samples])
        for sample in samples:
            if given[sample.pk].usable:
                texts = given[sample.pk].claims if sample.answer.strip() else ()
                found.append(Labelled(sample.pk, tuple(placed(texts, sample.answer, _sentences(sample)))))
    if not found:
        raise PanelError("no_labels", NO_LABELS)
    return found


def owe_calibration(audit: Audit, answers: Sequence[Labelled]) -> None:
    """Extractions of these answers, in the transaction that starts the audit.

    Where claims have labels, they are recorded as the answer's claims: nobody is asked to cut it, and nothing is paid
    for that. An answer whose label is of the whole is cut as always. Others are no part of the audit.
    """
    # Not above: recording rests on budgeting, which resumes audits, and starting one comes here.
    from audits.pipeline.recording import Result, store_claims

    extractor = audit.members.get(role=PanelMember.Role.EXTRACTOR)
    claims = {one.sample: one.claims for one in answers}
    for samples in _batches(list(claims)):
        rows = Extraction.objects.bulk_create(
            Extraction(audit=audit, sample=sample, status=_status(sample)) for sample in samples
        )
        store_claims(
            audit,
            [
                Result(_question(extractor, row, sample), Extracted(claims[sample.pk], no_claims={}), call=None)
                for row, sample in zip(rows, samples, strict=True)
                if claims[sample.pk]
            ],
        )


def check_calibrated_by(calibration: Audit, audit: Audit) -> None:
    """Whether this audit's panel is the one that was calibrated. Raises PanelError."""
    finished = calibration.calibration and calibration.status == Audit.Status.REVIEWING
    if calibration.project_id != audit.project_id or not finished or seats(calibration) != seats(audit):
        raise PanelError("other_panel", OTHER_PANEL)


def seats(audit: Audit) -> set[tuple[str, str, str]]:
    """(vendor, model, address) of the judges."""
    return set(audit.panel.values_list("vendor", "model", "base_url"))


def _batches(keys: Sequence[int]) -> Iterator[list[Sample]]:
    """The samples with these keys, so many at a time."""
    for at in range(0, len(keys), BATCH):
        yield list(Sample.objects.filter(pk__in=keys[at : at + BATCH]).order_by("position"))


def _status(sample: Sample) -> str:
    """An empty answer has no claims and needs no call."""
    return Extraction.Status.PENDING if sample.answer.strip() else Extraction.Status.DONE


def _sentences(sample: Sample) -> tuple[Sentence, ...]:
    return tuple(split_sentences(sample.answer)) or (Sentence(1, sample.answer, 0, len(sample.answer)),)


def _question(extractor: PanelMember, row: Extraction, sample: Sample) -> Question:
    """As if the extractor had been asked."""
    task = Task(
        purpose=Purpose.EXTRACT,
        language=sample.language,
        question=sample.question,
        answer=sample.answer,
        sentences=_sentences(sample),
    )
    return Question(extractor, row, sample, task)


def _same(text: str, answer: str) -> bool:
    """Whether they have the same letters and digits; a look at their lengths saves most of the work."""
    return len(text) > 0.8 * len(answer) and compact(text).text == compact(answer).text


def placed(texts: Iterable[str], answer: str, sentences: Sequence[Sentence]) -> Iterator[ExtractedClaim]:
    """Each text with its place: where its words stand in the answer, else the sentence that shares most with it.

    A text that shares nothing with any sentence stands for the whole answer.
    """
    ranking = Ranking([sentence.text for sentence in sentences])
    whole, places = Sentence(0, answer, 0, len(answer)), Places(answer)
    for text in texts:
        start, end = places.next(text, whole)
        sentence = next((one for one in reversed(sentences) if one.start <= start), sentences[0])
        if (start, end) == (whole.start, whole.end) and not _same(text, answer):  # reworded: nowhere as it is
            scores = ranking.scores(text)
            sentence = sentences[scores.index(max(scores))]
            start, end = (sentence.start, sentence.end) if max(scores) > 0 else (whole.start, whole.end)
        yield ExtractedClaim(sentence.number, text, start, end, vague=is_vague(text))
