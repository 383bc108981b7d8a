"""How columns were mapped before in a project: offered for the next file that has them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audits.formats.columns import ROLES
from audits.models import Dataset, Project

MOST = 50  # newest datasets that are looked at


def remembered_mapping(project: Project, columns: Sequence[str], shape: str) -> tuple[dict[str, Any], Dataset] | None:
    """The mapping of the newest imported dataset that fits such a file, and that dataset; None where none fits.

    It fits when the file has every column that is mapped and is the same kind of export.
    """
    known = set(columns)
    imported = project.datasets.filter(status=Dataset.Status.READY, shape=shape).order_by("-created", "-pk")
    for dataset in imported.only("mapping", "columns", "name", "project_id", "shape")[:MOST]:
        mapped = set(_columns_of(dataset.mapping))
        if mapped and mapped <= known:
            return dataset.mapping, dataset
    return None


def offered_mapping(
    project: Project, columns: Sequence[str], shape: str, guessed: Mapping[str, Any]
) -> dict[str, Any]:
    """What to offer for a file: the remembered mapping, else the guessed one.

    What was not mapped then because the file had no such column is guessed as ever.
    """
    remembered = remembered_mapping(project, columns, shape)
    if remembered is None:
        return dict(guessed)
    mapping, dataset = dict(remembered[0]), remembered[1]
    before, taken = set(dataset.columns), set(_columns_of(mapping))
    for role in ROLES:
        new = set(_columns_of({role: guessed.get(role)}))
        if not mapping.get(role) and new and not new & (before | taken):
            mapping[role] = guessed[role]
    if words := {**guessed.get("words", {}), **mapping.get("words", {})}:
        mapping["words"] = words
    return mapping


def _columns_of(mapping: Mapping[str, Any]) -> Iterator[str]:
    for role in ROLES:
        chosen = mapping.get(role)
        yield from (name for name in ([chosen] if isinstance(chosen, str) else chosen or []) if name)
