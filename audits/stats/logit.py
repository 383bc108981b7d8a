"""Logistic regression for claims that stand for unequally many others and lie several to an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audits.stats.estimate import Groups, group_numbers

if TYPE_CHECKING:
    import numpy as np

_STEPS = 50
_CLOSE = 1e-10


class NotEstimable(ValueError):
    """There is no such coefficient. code: "one_outcome", "collinear", "separation" or "one_answer"."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class LogitFit:
    """beta: the constant first, then one log odds ratio per column. se: of each, clustered. answers: clusters."""

    beta: tuple[float, ...]
    se: tuple[float, ...]
    answers: int


def weighted_logit(
    columns: Sequence[Sequence[float]], outcome: Sequence[bool], weights: Sequence[float], answers: Groups
) -> LogitFit:
    """Regress a yes or no on `columns` (each with one value per claim); the constant is added.

    Pseudo-maximum likelihood with weights, covariance by the sandwich over answers, H^-1 (sum of squared scores of
    answers) H^-1 * G/(G-1): Binder 1983; equals statsmodels' GLM with freq_weights and cov_type="cluster" (without
    its correction) times G/(G-1). Weights count relative to each other only. Raises NotEstimable.
    """
    import numpy as np

    y, w = np.asarray(outcome, dtype=float), np.asarray(weights, dtype=float)
    x = np.column_stack([np.ones(len(y)), *(np.asarray(column, dtype=float) for column in columns)])
    numbers = np.asarray(group_numbers(answers), dtype=int)
    count = int(numbers.max()) + 1 if len(numbers) else 0
    if not 0 < y.sum() < len(y):
        raise NotEstimable("one_outcome")
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise NotEstimable("collinear")
    if count < 2:
        raise NotEstimable("one_answer")
    if is_separated(x, y):
        raise NotEstimable("separation")
    w = w / w.mean()
    beta = _fitted(x, y, w)
    share = _share(x, beta)
    bread = np.linalg.inv(_information(x, w, share))
    scores = np.zeros((count, x.shape[1]))
    np.add.at(scores, numbers, x * (w * (y - share))[:, None])
    covariance = bread @ (scores.T @ scores) @ bread * count / (count - 1)
    return LogitFit(tuple(map(float, beta)), tuple(map(float, np.sqrt(np.diag(covariance)))), count)


def is_separated(x: "np.ndarray", y: "np.ndarray") -> bool:
    """Whether some direction sorts all outcomes without an error, at least beside ties: then no finite fit exists.

    Albert & Anderson 1984; found by linear programming (Konis 2007). x: with its constant.
    """
    import numpy as np
    from scipy.optimize import linprog

    signed = x * np.where(y > 0.5, 1.0, -1.0)[:, None] / np.abs(x).max(axis=0)
    best = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    return bool(not best.success or -best.fun > 1e-7)


def _fitted(x: "np.ndarray", y: "np.ndarray", w: "np.ndarray") -> "np.ndarray":
    """Newton's method."""
    import numpy as np

    beta = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        share = _share(x, beta)
        try:
            step = np.linalg.solve(_information(x, w, share), x.T @ (w * (y - share)))
        except np.linalg.LinAlgError:
            break
        beta = beta + step
        if np.abs(step).max() < _CLOSE:
            return beta
    raise NotEstimable("separation")


def _share(x: "np.ndarray", beta: "np.ndarray") -> "np.ndarray":
    import numpy as np

    share: np.ndarray = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
    return share


def _information(x: "np.ndarray", w: "np.ndarray", share: "np.ndarray") -> "np.ndarray":
    result: np.ndarray = (x * (w * share * (1 - share))[:, None]).T @ x
    return result
