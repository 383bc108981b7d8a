"""Agreement of any number of raters, against published values and known failures of other tools."""

import csv
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.stats.agreement import LABELS, agreement
from audits.stats.raters import Item, raters_agreement

S, C, U = LABELS
COEFFICIENTS = ("alpha", "ac1", "fleiss")
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "agreement"


def items(rows, per_answer=1):
    """One item per row, None where a rater gave no label."""
    said = [{rater: label for rater, label in enumerate(row) if label is not None} for row in rows]
    return [Item(number // per_answer, labels) for number, labels in enumerate(said)]


def from_counts(table):
    """Items of a table of counts, one row per item, one column per category."""
    return items([[k for k, count in enumerate(row) for _ in range(count)] for row in table])


def rated(text):
    """Rows of one-letter labels, "." where one is missing."""
    return [[None if letter == "." else letter for letter in row] for row in text.split()]


# Gwet 2014, Handbook of Inter-Rater Reliability, as printed by R irrCAC and its Python port.
FOUR_RATERS = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."
FIVE_OBSERVERS = "112.2 1101. 2333. .00.0 000.0 000.0 102.1 1.20. 222.2 2111. .100. 0000. 1222. 33223 111.1"
TWO_GROUPS = "aa.a bbcb cccc cccc bbbb abcd dddd aaba bbbb .eee ..aa ..c. bbcb bacb"
GENDER = "aaac aabc aabc aacc abaa baaa bbbb bcbb cccc aaac aabc aabc aacc abaa baaa"
BEN_GERRY = "ab aa bb bb db cc cc cc ee d. dd ad"
# Krippendorff's own example: fifteen units, three coders, nominal alpha 0.691
KRIPPENDORFF = ".1. ... .22 .11 .33 334 444 13. 2.2 1.1 1.1 3.3 3.3 ... 3.4"

FLEISS_1971 = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
WIKIPEDIA = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


@pytest.mark.parametrize(
    ("text", "alpha", "ac1", "fleiss"),
    [
        (FOUR_RATERS, 0.743, 0.775, None),
        (FIVE_OBSERVERS, 0.481, 0.497, None),
        (TWO_GROUPS, 0.632, 0.685, None),
        (GENDER, 0.143, 0.208, 0.129),
        (BEN_GERRY, 0.665, 0.661, 0.649),
        (KRIPPENDORFF, 0.691, None, None),
    ],
    ids=["four raters", "five observers", "two groups", "gender", "ben and gerry", "krippendorff"],
)
def test_published_values(text, alpha, ac1, fleiss):
    rows = rated(text)
    found = raters_agreement(items(rows), categories=sorted({label for row in rows for label in row if label}))
    assert found.alpha.value == pytest.approx(alpha, abs=6e-4)
    if ac1 is not None:
        assert found.ac1.value == pytest.approx(ac1, abs=6e-4)
    if fleiss is None:
        assert (found.fleiss.value, found.fleiss.reason) == (None, "unequal_raters") or text == KRIPPENDORFF
    else:
        assert found.fleiss.value == pytest.approx(fleiss, abs=6e-4)


def test_published_to_more_digits():
    # R irrCAC gwet.ac1.raw: AC1 0.77544, pa 0.81818; krippendorff 0.9.0: 0.691358
    four = raters_agreement(items(rated(FOUR_RATERS)), categories="12345")
    assert (four.ac1.value, four.percent.value) == pytest.approx((0.77544, 0.81818), abs=5e-6)
    assert (four.n, four.excluded, four.raters, four.pairs) == (11, 1, 4, 8 * 6 + 2 * 3 + 1)
    coders = raters_agreement(items(rated(KRIPPENDORFF)), categories="1234")
    assert coders.alpha.value == pytest.approx(0.691358, abs=1e-6)
    assert (coders.n, coders.excluded) == (12, 3)


@pytest.mark.parametrize(
    ("table", "fleiss", "alpha", "ac1"),
    [
        # Fleiss 1971, 30 patients, 6 psychiatrists: 0.430 printed
        ([[int(digit) for digit in row] for row in FLEISS_1971.split()], 0.430245, None, None),
        # its first half, as R irrCAC distrib.6raters
        ([[int(digit) for digit in row] for row in FLEISS_1971.split()[:15]], 0.413926, 0.420438, 0.444801),
        (WIKIPEDIA, 0.209931, None, None),
    ],
    ids=["fleiss 1971", "six raters", "wikipedia"],
)
def test_published_counts(table, fleiss, alpha, ac1):
    found = raters_agreement(from_counts(table), categories=range(5))
    assert found.fleiss.value == pytest.approx(fleiss, abs=1e-6)
    if alpha is not None:
        assert found.alpha.value == pytest.approx(alpha, abs=1e-6)
        assert found.ac1.value == pytest.approx(ac1, abs=1e-6)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the collection of published rating matrices is not beside this tree")
@pytest.mark.parametrize("number", range(3))
def test_real_matrices(number):
    case = json.loads((SHARED / "matrices.json").read_text(encoding="utf-8"))[number]
    expected = case["computed"]
    with (SHARED / case["file"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    known = {"unrelated": "neutral", "unknown": "neutral", "": None}  # as the values were computed
    found = raters_agreement(
        items([[known.get(label, label) for label in row] for row in rows]), categories=expected["categories"]
    )
    assert found.n == expected["items"]
    for name, key in (
        ("percent", "percent_pairwise"),
        ("alpha", "krippendorff_alpha_nominal"),
        ("fleiss", "fleiss_kappa"),
        ("ac1", "gwet_ac1"),
    ):
        estimate = getattr(found, name)
        assert estimate.value == pytest.approx(expected[key], abs=6e-5)
        assert estimate.low < estimate.value < estimate.high


@pytest.mark.skipif(not SHARED.is_dir(), reason="the collection of published ratings is not beside this tree")
def test_all_published_ratings():
    cases = json.loads((SHARED / "cases.json").read_text(encoding="utf-8"))["cases"]
    checked = 0
    for case in (case for case in cases if "ratings" in case):
        labels = sorted({label for row in case["ratings"] for label in row if label is not None})
        found = raters_agreement(items(case["ratings"]), categories=labels)
        names = {"krippendorff": "alpha", "gwet": "ac1", "fleiss": "fleiss"}
        for name in names.keys() & case["expected"].keys():
            estimate = getattr(found, names[name])
            if estimate.reason == "unequal_raters":
                continue  # Fleiss 1971 does not exist there; the value listed is a generalisation
            assert estimate.value == pytest.approx(case["expected"][name]["value"], abs=case["tolerance"])
            checked += 1
    assert checked >= 12


def test_two_raters_are_the_special_case():
    rows = [(S, S)] * 60 + [(S, U)] * 5 + [(U, U)] * 20 + [(C, U)] * 4 + [(C, C)] * 11
    two = agreement([(number, a, b) for number, (a, b) in enumerate(rows)])
    many = raters_agreement(items(rows))
    for name in ("percent", "alpha", "ac1"):
        assert getattr(many, name).value == pytest.approx(getattr(two, name).value)
    assert (many.alpha.low, many.alpha.high) == pytest.approx((two.alpha.low, two.alpha.high), abs=0.02)


def test_one_item_with_five_labels_does_not_shake_two_hundred_with_two():
    generator = random.Random(4)
    rows = [[generator.choice(LABELS), generator.choice(LABELS)] for _ in range(200)]
    alone, with_one = raters_agreement(items(rows)), raters_agreement(items([*rows, [S] * 5]))
    assert abs(alone.alpha.value) < 0.1
    assert with_one.alpha.value == pytest.approx(alone.alpha.value, abs=0.03)
    assert with_one.ac1.value == pytest.approx(alone.ac1.value, abs=0.03)
    assert with_one.percent.value == pytest.approx(alone.percent.value, abs=0.01)
    assert (with_one.fleiss.value, with_one.fleiss.reason) == (None, "unequal_raters")
    assert (with_one.pairs, with_one.raters) == (210, 5)


def test_it_is_not_the_mean_of_pairs_of_raters():
    rows = [(S, S, U)] * 20 + [(S, S, S)] * 10 + [(U, U, C)] * 10
    kappas = [
        agreement([(number, row[a], row[b]) for number, row in enumerate(rows)]).kappa.value
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    found = raters_agreement(items(rows))
    assert abs(found.fleiss.value - sum(kappas) / 3) > 0.05
    assert found.percent.value == pytest.approx((30 / 3 + 10) / 40)


def test_a_label_that_nobody_used_still_exists():
    found = raters_agreement(items([(S, S), (S, U)] * 20))
    seen_only = raters_agreement(items([(S, S), (S, U)] * 20), categories=(S, U))
    assert found.ac1.value > seen_only.ac1.value
    assert found.alpha.value == seen_only.alpha.value
    one = raters_agreement(items([(S, S, S)] * 40))
    assert (one.alpha.reason, one.fleiss.reason) == ("one_label", "one_label")
    assert one.ac1.value == 1
    assert 0.8 < one.ac1.low < 1
    with pytest.raises(KeyError):
        raters_agreement(items([("other", S)]))


def test_what_only_one_rater_labelled_is_counted_as_excluded():
    rows = [(S, S, None)] * 40 + [(S, None, None)] * 30 + [(None, None, None)] * 2 + [(None, U, U)] * 5
    found = raters_agreement(items(rows))
    assert (found.n, found.excluded, found.pairs) == (45, 32, 45)
    assert {rate.rater: rate.n for rate in found.rates} == {0: 70, 1: 45, 2: 5}
    assert found.rates[1].shares == pytest.approx((40 / 45, 0, 5 / 45))


@pytest.mark.parametrize("rows", [[], [(S, None)], [(None, U), (S, None)]], ids=["nothing", "one", "apart"])
def test_no_item_in_common(rows):
    found = raters_agreement(items(rows))
    for name in ("percent", *COEFFICIENTS):
        assert getattr(found, name).value is None
        assert getattr(found, name).reason == "no_shared_items"


def test_few_items_and_one_answer_have_no_limits():
    few = raters_agreement(items([(S, S, U)] * 29))
    assert few.alpha.reason == few.ac1.reason == few.fleiss.reason == "few_items"
    assert few.alpha.value is not None
    assert few.alpha.low is None
    assert few.percent.low < few.percent.value
    one = raters_agreement(items([(S, S, U), (U, U, S)] * 20, per_answer=100))
    assert one.alpha.reason == one.percent.reason == "one_answer"


def test_claims_of_one_answer_widen_the_interval():
    generator = random.Random(6)
    rows = []
    for _ in range(60):  # an answer is easy or hard as a whole
        hard = generator.random() < 0.3
        rows += [[generator.choice(LABELS) if hard else S for _ in range(3)] for _ in range(5)]
    alone, together = raters_agreement(items(rows)), raters_agreement(items(rows, per_answer=5))
    for name in ("percent", *COEFFICIENTS):
        one, many = getattr(alone, name), getattr(together, name)
        assert one.value == pytest.approx(many.value)
        assert many.high - many.low > 1.1 * (one.high - one.low)


ROWS = st.lists(st.lists(st.sampled_from([*LABELS, None]), min_size=4, max_size=4), min_size=1, max_size=40)


@given(ROWS, st.permutations(range(4)), st.permutations(LABELS))
def test_names_of_raters_and_labels_do_not_matter(rows, order, names):
    renamed = dict(zip(LABELS, names, strict=True)) | {None: None}
    found = raters_agreement(items(rows))
    other = raters_agreement(items([[renamed[row[k]] for k in order] for row in rows]))
    for name in ("percent", *COEFFICIENTS):
        value = getattr(found, name).value
        assert getattr(other, name).value == (None if value is None else pytest.approx(value, abs=1e-9))
        assert value is None or value <= 1 + 1e-9
    assert (other.n, other.excluded, other.pairs) == (found.n, found.excluded, found.pairs)
