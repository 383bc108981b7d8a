"""Judges side by side on one dataset that people labelled, and the panels that they sat on."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.calibration_units import ANSWERS, CLAIMS, Key, units_of
from audits.models import Audit, PanelMember
from audits.stats.calibration import Advantage, AgainstPeople, Calibration, Unit, advantage, against_people, calibrate

MOST = 12  # calibrations of one dataset that are read, the newest


@dataclass(frozen=True)
class Seat:
    """One model of one vendor in its newest calibration of the dataset.

    versus: minus the yardstick; None for the yardstick itself.
    """

    member: PanelMember
    audit: Audit
    found: AgainstPeople
    versus: Advantage | None


@dataclass(frozen=True)
class PanelFound:
    """One calibration: the judges that sat together, and what they do together."""

    audit: Audit
    members: tuple[PanelMember, ...]
    found: Calibration


@dataclass(frozen=True)
class SideBySide:
    """unit: "claims" or "answers". seats: in the order in which they were calibrated, the newest first."""

    unit: str
    seats: tuple[Seat, ...]
    panels: tuple[PanelFound, ...]
    yardstick: PanelMember


Rated = dict[Key, tuple[Unit, bool | None]]


def side_by_side(audits: Sequence[Audit], yardstick: int | None = None) -> list[SideBySide]:
    """Every judge and panel of these calibrations of one dataset; one entry for each kind of unit that there is.

    yardstick: the seat that the others are held against; the first one when it is not among them. Two judges are
    compared on the very units that both scored, whichever calibration each sat in: units are those of the dataset.
    """
    read = [(audit, units_of(audit).units, tuple(audit.panel)) for audit in audits[:MOST]]
    found = []
    for kind in (CLAIMS, ANSWERS):
        rated: dict[tuple[str, str, str], tuple[PanelMember, Audit, Rated]] = {}
        panels = []
        for audit, units, members in read:
            if not units[kind]:
                continue
            panels.append(
                PanelFound(audit, members, calibrate([one.unit for one in units[kind]], float(audit.confidence)))
            )
            for number, member in enumerate(members):
                said = {one.key: (one.unit, one.unit.said[number]) for one in units[kind]}
                rated.setdefault((member.vendor, member.model, member.base_url), (member, audit, said))
        if rated:
            found.append(_side(kind, list(rated.values()), panels, yardstick))
    return found


def _side(
    kind: str,
    rated: Sequence[tuple[PanelMember, Audit, Rated]],
    panels: Sequence[PanelFound],
    yardstick: int | None,
) -> SideBySide:
    against = next((row for row in rated if row[0].pk == yardstick), rated[0])
    seats = tuple(
        Seat(
            member,
            audit,
            against_people(list(said.values()), float(audit.confidence)),
            None if member == against[0] else _versus(against[2], said, float(audit.confidence)),
        )
        for member, audit, said in rated
    )
    return SideBySide(kind, seats, tuple(panels), against[0])


def _versus(yardstick: Rated, other: Rated, confidence: float) -> Advantage:
    rows = []
    for key, (unit, said) in other.items():
        first = yardstick.get(key, (unit, None))[1]
        if first is not None and said is not None:
            rows.append((unit.answer, unit.human, first, said))
    return advantage(rows, confidence)
