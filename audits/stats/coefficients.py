"""Coefficients of agreement of a square table: rows one rater, columns another."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def observed(table: "Sequence[Sequence[float]] | np.ndarray") -> float:
    """Share of items on the diagonal. ValueError for an empty table."""
    import numpy as np

    counts = np.asarray(table, dtype=float)
    if counts.sum() <= 0:
        raise ValueError("an empty table has no agreement")
    return float(np.trace(counts) / counts.sum())


def chance(table: "Sequence[Sequence[float]] | np.ndarray", kind: str) -> float:
    """Agreement expected by chance, of one table. See by_chance."""
    import numpy as np

    return float(by_chance(np.asarray(table, dtype=float), kind))


def by_chance(tables: "np.ndarray", kind: str) -> "np.ndarray":
    """Agreement expected by chance, of tables of counts (..., q, q); p_k is the mean of the two margins.

    kind "kappa": sum r_k c_k (Cohen 1960). "ac1": sum p_k (1 - p_k) / (q - 1) (Gwet 2008), q the number of labels
    that exist, not of those used. "alpha": 1 - (1 - sum p_k^2) 2n / (2n - 1), n items of two labels each: the labels
    are drawn without replacement (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability). ValueError for
    another kind.
    """
    total = tables.sum(axis=(-1, -2))
    rows, columns = tables.sum(axis=-1) / total[..., None], tables.sum(axis=-2) / total[..., None]
    means = (rows + columns) / 2
    if kind == "kappa":
        expected = (rows * columns).sum(axis=-1)
    elif kind == "ac1":
        expected = (means * (1 - means)).sum(axis=-1) / (tables.shape[-1] - 1)
    elif kind == "alpha":
        expected = 1 - (1 - (means**2).sum(axis=-1)) * 2 * total / (2 * total - 1)
    else:
        raise ValueError(f"kind is kappa, ac1 or alpha, not {kind}")
    result: np.ndarray = expected
    return result


def coefficients(tables: "np.ndarray", kind: str) -> "np.ndarray":
    """(observed - chance) / (1 - chance) of tables of counts (..., q, q); ValueError for an empty one among them.

    nan where chance leaves nothing to agree on.
    """
    import numpy as np

    total = tables.sum(axis=(-1, -2))
    if (total <= 0).any():
        raise ValueError("an empty table has no agreement")
    share, expected = np.trace(tables, axis1=-2, axis2=-1) / total, by_chance(tables, kind)
    left = np.where(1 - expected < 1e-12, np.nan, 1 - expected)
    result: np.ndarray = (share - expected) / left
    return result


def coefficient(table: "Sequence[Sequence[float]] | np.ndarray", kind: str) -> float | None:
    """The coefficient of one table of counts; "percent" gives the observed share. None where it is undefined."""
    import numpy as np

    if kind == "percent":
        return observed(table)
    value = float(coefficients(np.asarray(table, dtype=float), kind))
    return None if math.isnan(value) else value


def influence(table: "Sequence[Sequence[float]] | np.ndarray", kind: str) -> "np.ndarray":
    """What one more item in each cell does to kappa (Fleiss, Cohen & Everitt 1969) or AC1 (Gwet 2008): (q, q).

    The variance of these values over the items, divided by their number, is the coefficient's variance. ValueError
    for another kind.
    """
    import numpy as np

    shares = np.asarray(table, dtype=float)
    shares = shares / shares.sum()
    rows, columns, size = shares.sum(axis=1), shares.sum(axis=0), len(shares)
    share, expected = observed(shares), chance(shares, kind)
    if kind == "kappa":
        by_luck = columns[:, None] + rows[None, :]
    elif kind == "ac1":
        slope = (1 - rows - columns) / (2 * (size - 1))
        by_luck = slope[:, None] + slope[None, :]
    else:
        raise ValueError(f"kind is kappa or ac1, not {kind}")
    effect: np.ndarray = (np.eye(size) * (1 - expected) - (1 - share) * by_luck) / (1 - expected) ** 2
    return effect
