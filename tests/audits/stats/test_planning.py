"""How many claims the experts must see."""

import pytest

from audits.stats.planning import allocate, size_allowing_errors, spot_check_size


def test_sizes_that_allow_errors():
    # scipy.stats.binom: 234 with 6 errors allowed excludes 5 % and passes with 80 % at 2 %
    assert size_allowing_errors(0.05, 0.02) == (234, 6)
    assert size_allowing_errors(0.05, 0.05) is None
    assert size_allowing_errors(0.05, 0.049, largest=500) is None


def test_default_spot_check():
    assert spot_check_size(50_000, 0.05) == 250
    assert spot_check_size(50_000, 0.02) == 628
    assert spot_check_size(50_000, 0.01) == 1258
    assert spot_check_size(40, 0.05) == 40
    assert spot_check_size(0, 0.05) == 0
    with pytest.raises(ValueError, match="threshold"):
        spot_check_size(100, 0)


def test_allocation():
    draw = allocate({"supported": 900, "supported_vague": 60, "contradicted": 12, "unverified": 29}, 250)
    assert sum(draw.values()) == 250
    assert draw["contradicted"] + draw["unverified"] == 41  # 20 % would be 50; there are only 41
    assert draw["supported_vague"] / 60 > 2 * draw["supported"] / 900


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        (
            {"supported": 8, "contradicted": 0, "unverified": 3},
            250,
            {"supported": 8, "contradicted": 0, "unverified": 3},
        ),
        ({"supported": 80, "unverified": 30}, 12, {"supported": 10, "unverified": 2}),
        ({}, 5, {}),
        ({"supported": 100}, 0, {"supported": 0}),
    ],
)
def test_allocation_at_the_edges(sizes, total, expected):
    assert allocate(sizes, total) == expected
