"""How many more claims would decide: what is said is checked by reckoning it through."""

from dataclasses import replace

import pytest

from audits.stats.audited import Stratum, dataset_limits
from audits.stats.more import more_needed
from audits.stats.planning import allocate

OF_DATASET = {"answers": 500, "deff": 1.5, "scope": "dataset", "confidence": 0.95}


def test_an_agreed_pile_without_errors_needs_the_classical_number() -> None:
    pile = [Stratum("supported", 100_000, 60, 0)]
    found = more_needed(pile, threshold=0.02, **OF_DATASET)
    assert found.decision == "PASS" and found.claims is not None
    assert 149 - 60 <= found.claims <= (149 - 60) * 1.12, "0 of 149 puts the limit at 2 %"
    assert found.left == 100_000 - 60


def test_looks_cost_claims() -> None:
    pile = [Stratum("supported", 5000, 60, 0)]
    one, two = (more_needed(pile, threshold=0.02, looks=looks, **OF_DATASET).claims for looks in (1, 2))
    assert one is not None and two is not None and two > one


def test_a_rate_above_the_threshold_fails_with_more() -> None:
    pile = [Stratum("supported", 5000, 50, 5), Stratum("disputed", 100, 100, 50, drawn=False)]
    found = more_needed(pile, threshold=0.06, **OF_DATASET)
    assert found.decision == "FAIL" and found.claims is not None
    checked = 50 + found.claims
    grown = [replace(pile[0], checked=checked, hallucinated=5 + found.claims // 10), pile[1]]
    assert dataset_limits(grown, 0.05)[0] > 0.06


def test_no_spot_check_makes_up_for_answers() -> None:
    pile = [Stratum("supported", 900, 300, 3), Stratum("disputed", 100, 100, 5, drawn=False)]
    arguments = {"answers": 40, "deff": 3.0, "threshold": 0.02, "scope": "traffic", "confidence": 0.95}
    found = more_needed(pile, **arguments)
    assert (found.claims, found.decision, found.left) == (None, "", 600)
    assert more_needed([replace(pile[0], checked=900, hallucinated=9), pile[1]], **arguments).left == 0


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError):
        more_needed([], threshold=0.02, answers=1, deff=1, scope="x", confidence=0.95)


def test_an_extension_takes_nothing_back_and_sums_up() -> None:
    sizes = {"supported": 900, "supported_vague": 40, "contradicted": 8, "unverified": 60}
    before = allocate(sizes, 100)
    for total in (100, 101, 130, 400, 5000):
        after = allocate(sizes, total, before)
        assert all(before[name] <= after[name] <= sizes[name] for name in sizes)
        assert sum(after.values()) == min(total, sum(sizes.values()))
    assert allocate(sizes, 30, {"supported": 30, "unverified": 0, "contradicted": 0, "supported_vague": 0}) == {
        "supported": 30, "supported_vague": 0, "contradicted": 0, "unverified": 0,
    }  # fmt: skip
