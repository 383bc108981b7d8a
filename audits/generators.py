"""Which model wrote which answer, and which of them are of a judge's own family."""

from collections.abc import Iterable

from audits.judges.families import are_kin
from audits.models import Dataset, FamilyRule, PanelMember


def generators_of(dataset: Dataset) -> dict[int, str]:
    """Sample -> the model that wrote its answer: as its row says, else as the dataset says; "" where nobody says."""
    rows = dataset.samples.order_by().values_list("pk", "generator")
    return {pk: name.strip() or dataset.generator.strip() for pk, name in rows.iterator(chunk_size=5000)}


def own_generators(names: Iterable[str], member: PanelMember) -> frozenset[str]:
    """Those of the names that share a family or a name with this judge."""
    rules = FamilyRule.objects.pairs()
    return frozenset(name for name in names if name and are_kin(("", name), (member.vendor, member.model), rules))
