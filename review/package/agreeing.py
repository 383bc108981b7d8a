"""Agreement once more, from the rows of an evidence package instead of a database."""

from functools import cached_property

from audits.labels import Label
from audits.models import PanelMember
from review.agreement import Material
from review.agreement.claims import Facts, Size, Verdicts
from review.agreement.settled import usable
from review.independent import IndependentLabel, first_independent
from review.models import Stratum
from review.package.rows import Tables, WordRow
from review.spotcheck import stratum_of


class PackageMaterial(Material):
    """The same parts as of an audit; judges are numbered as in the certificate."""

    def __init__(self, tables: Tables, confidence: float) -> None:
        self.tables, self.confidence = tables, confidence

    @cached_property
    def panel(self) -> list[PanelMember]:
        """Judges that gave verdicts, by number."""
        numbers = sorted({verdict.judge for verdict in self.tables.verdicts})
        return [PanelMember(pk=number, position=number - 1) for number in numbers]

    @cached_property
    def claims(self) -> dict[int, Facts]:
        """By claim, in the order of their numbers; agreement as stated asks for sample and group alone."""
        return {
            row.claim: Facts(row.claim, row.sample, stratum_of(row.decision, row.vague), "", (), Size.SHORT)
            for row in sorted(self.tables.claims.values(), key=lambda row: row.claim)
        }

    @cached_property
    def verdicts(self) -> Verdicts:
        """Claim -> judge -> label."""
        return {
            claim: {verdict.judge: verdict.label for verdict in rows} for claim, rows in self.tables.by_claim.items()
        }

    @cached_property
    def items(self) -> dict[int, list[IndependentLabel]]:
        """Independent labels by item."""
        by_person: dict[tuple[int, int], list[WordRow]] = {}
        for word in self.tables.words:
            by_person.setdefault((self.tables.by_place[word.claim].pk, word.reviewer), []).append(word)
        found = []
        for key in sorted(by_person):
            first = first_independent(_Blind(word) for word in sorted(by_person[key], key=lambda word: word.revision))
            if first is not None:
                found.append(self._independent(first.word, first.word.label))
        return usable(found)

    def _independent(self, word: WordRow, label: Label | None) -> IndependentLabel:
        item = self.tables.by_place[word.claim]
        return IndependentLabel(
            item=item.pk,
            claim=word.claim,
            sample=self.tables.claims[word.claim].sample if item.parent_id is None else 0,  # of parts it is not asked
            stratum=item.stratum,
            kind=item.kind,
            reviewer=word.reviewer,
            number=word.slot,
            arbitrates=word.arbitrates,
            replaced=item.replaced_at is not None,
            part=item.parent_id is not None,
            label=Label(str(label)),
            created=word.created,
        )

    @cached_property
    def needed(self) -> dict[int, int]:
        """Items that need two experts or more -> how many."""
        return {pk: item.needed for pk, item in self.tables.items.items() if item.needed > 1}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Claims of every group, in the order that Material keeps."""
        groups = [facts.stratum for facts in self.claims.values()]
        return {str(name): groups.count(str(name)) for name in Stratum}


class _Blind:
    """A word as first_independent asks for it."""

    def __init__(self, word: WordRow) -> None:
        self.word, self.label, self.blind = word, str(word.label or ""), word.blind
