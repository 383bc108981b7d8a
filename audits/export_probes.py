"""The download of what judges said when they were asked again or about planted claims: a row for each probe."""

from collections.abc import Iterator
from typing import Any

from audits.export import Table
from audits.exporting import Cell
from audits.from_file import CHUNK
from audits.models import Audit, Probe
from audits.stability import with_first

PLACE = ("sample_id", "claim_no", "claim", "judge", "name", "kind", "status")
COLUMNS = (*PLACE, "first_label", "label", "unscored", "flipped", "planted", "context_order")


def probe_table(audit: Audit, *, contexts: bool = False) -> Table:
    """One row for each probe in reading order. contexts has no meaning.

    planted: the false variant that the judge was asked about instead of the claim. context_order: as shown, from 1.
    """
    return list(COLUMNS), _rows(audit)


def _rows(audit: Audit) -> Iterator[list[Cell]]:
    for record in probe_records(audit):
        order = ", ".join(str(index + 1) for index in record["context_order"])
        yield [*list(record.values())[:-1], order]


def probe_records(audit: Audit, *, contexts: bool = False) -> Iterator[dict[str, Any]]:
    """One object for each probe; null where nothing is known or meant, as `flipped` of a planted claim.

    context_order: as shown, numbered from 0.
    """
    probes = with_first(Probe.objects.filter(audit=audit)).select_related("claim__sample", "member")
    fields = ("kind", "status", "text", "label", "unscored", "context_order", "claim__text", "claim__position")
    names = ("claim__sample__external_id", "member__position", "member__vendor", "member__model")
    places = ("claim__sample__position", "claim__position", "member__position", "-kind")
    for probe in probes.only(*fields, *names).order_by(*places).iterator(chunk_size=CHUNK):
        values = (
            probe.claim.sample.external_id,
            probe.claim.position + 1,
            probe.claim.text,
            probe.member.letter,
            probe.member.name,
            probe.kind,
            probe.status,
            probe.first,
            probe.label or None,
            probe.unscored or None,
            probe.label != probe.first if probe.label and not probe.text else None,
            probe.text or None,
            probe.context_order,
        )
        yield dict(zip(COLUMNS, values, strict=True))
