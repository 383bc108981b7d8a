"""Asking about texts in JSON: any key, any language, the same words whatever the database."""

import pytest

from audits.json_queries import Holds, TextOf
from audits.models import Project, Sample
from tests.audits.factory import make_dataset, make_sample

pytestmark = pytest.mark.django_db
ODD = {'a "quoted" key': "x", "2024": "year", "a.b": "dotted", "城市": "上海", "yes": True, "n": 3, "list": [1, 2]}


@pytest.fixture
def samples(project: Project) -> list[Sample]:
    dataset = make_dataset(project, samples=0)
    return [
        make_sample(dataset, 0, metadata=ODD, tags=["退款", "fees"]),
        make_sample(dataset, 1, metadata={"城市": "北京", "none": None}, tags=["fee"]),
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [*((key, ODD[key]) for key in ('a "quoted" key', "2024", "a.b", "城市")), ("yes", "true"), ("n", "3")],
)
def test_the_value_of_any_key_is_found(samples: list[Sample], key: str, value: str) -> None:
    assert list(Sample.objects.annotate(value=TextOf("metadata", key)).filter(value=value)) == samples[:1]


def test_what_is_missing_or_null_has_no_value(samples: list[Sample]) -> None:
    for key in ("none", "elsewhere"):
        found = Sample.objects.annotate(value=TextOf("metadata", key)).values_list("value", flat=True)
        assert list(found) == [None, None]


def test_a_list_holds_whole_texts_only(samples: list[Sample]) -> None:
    assert list(Sample.objects.filter(Holds("tags", "退款"))) == samples[:1]
    assert list(Sample.objects.filter(Holds("tags", "fee"))) == samples[1:]
    assert not Sample.objects.filter(Holds("tags", "退"))
