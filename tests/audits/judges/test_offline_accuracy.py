import json
from pathlib import Path

import pytest

from audits.judges.offline import rules, vector, weights

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
