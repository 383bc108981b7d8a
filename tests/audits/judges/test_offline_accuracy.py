import json
from pathlib import Path

import pytest

from audits.judges.offline import rules, vector, weights
from bench.open_sets import FREE_FOR_FITTING

TABLE = json.loads((Path(rules.__file__).parents[1] / "offline_accuracy.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_f1"])
def test_the_means_shown_are_the_means_of_the_rows(metric):
    for key, mean in TABLE["means"][metric].items():
        values = [row[metric][key] for row in TABLE["sets"] if metric in row]
        assert mean == pytest.approx(sum(values) / len(values), abs=0.001)


def test_the_table_is_of_the_judges_that_are_shipped():
    assert TABLE["judges"] == {"rules": rules.MODEL, "vector": vector.MODEL}
    assert sum(row["claims"] for row in TABLE["sets"]) == TABLE["claims"]
    assert len(weights.MEAN) == len(weights.SCALE) == len(vector.FEATURES)
    assert len(weights.SUPPORTED) == len(weights.CONTRADICTED) == len(vector.FEATURES) + 1


def test_only_sets_that_are_free_with_attribution_were_fitted_on():
    fitted = {row["set"] for row in TABLE["sets"] if row["fitted"]}
    assert fitted == FREE_FOR_FITTING
    restricted = {name for name in (row["set"] for row in TABLE["sets"]) if name not in fitted}
    assert {name.split("_")[0] for name in restricted} == {"memerag", "faithbench", "rgb", "ocnli"}


def test_sets_never_fitted_on_show_the_judges_as_they_ship():
    for row in TABLE["sets"]:
        for figures in (row[metric] for metric in ("balanced_accuracy", "macro_f1") if metric in row):
            for judge in () if row["fitted"] else ("rules", "vector"):
                assert figures[judge] == figures[f"{judge}_shipped"]


def test_overlap_never_speaks_against_support_and_tells_always_do():
    overlap = weights.SUPPORTED[1 : 1 + len(vector.OVERLAP)]
    assert all(weight >= 0 for weight in overlap) and any(overlap)
    assert all(weight < 0 for weight in weights.SUPPORTED[1 + len(vector.OVERLAP) :])
