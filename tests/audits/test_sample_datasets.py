"""The product's own datasets: all there in both languages, named in the reader's."""

from django.utils import translation

from audits.sample_datasets import DOMAINS, LANGUAGES, sample_dataset, sample_datasets, samples_by_domain


def test_each_field_is_there_in_both_languages() -> None:
    assert {(sample.domain, sample.language) for sample in sample_datasets()} == {
        (domain, language) for domain in DOMAINS for language in LANGUAGES
    }
    assert [len(found) for _field, found in samples_by_domain()] == [2] * len(DOMAINS)


def test_a_sample_is_found_by_its_key_and_nothing_else_is() -> None:
    found = sample_dataset("law.zh")
    assert found is not None
    assert found.path.name == "law.zh.jsonl"
    assert found.answers >= 40
    assert found.name == "Sample: Law (Chinese)"
    for wrong in ("law", "../law.zh", "law.zh.jsonl", "loan-desk.csv", ""):
        assert sample_dataset(wrong) is None


def test_names_follow_the_language_of_the_page() -> None:
    found = sample_dataset("law.zh")
    assert found is not None
    with translation.override("zh-hans"):
        assert "law" not in found.name
