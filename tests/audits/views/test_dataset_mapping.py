"""How a file is read and which column is what: what is shown, what follows a choice, what must be said first."""

import json
import zipfile
from io import BytesIO

import pytest

from audits import pipeline
from audits.models import Dataset, Event, GivenLabel, Sample
from tests.audits.views.dataset_road import CHINESE, GOOD, at, chosen, upload

pytestmark = pytest.mark.usefixtures("media")
PART = {"HX-Request": "true", "HX-Target": "mapping-preview"}
LABELLED = "question,contexts,answer,human_label\n" + "".join(
    f"q{number},c{number},a{number},{word}\n" for number, word in enumerate(["支持", "不支持", "支持", "", "冲突"])
)
NUMBERED = "question,contexts,answer\n" + "".join(f'q{n},"1. one {n}\n2. two {n}\n3. three",a\n' for n in range(3))


def come(signed_in, analyst, project, content, name="loans.csv"):
    """(browser, dataset): the file is uploaded."""
    browser = signed_in(analyst)
    upload(browser, project, content, name=name)
    return browser, Dataset.objects.first()


def records(page):
    return [row.record for row in page.context["checked"].rows]


def test_the_page_shows_what_was_understood(signed_in, analyst, uploaded):
    page = signed_in(analyst).get(at("dataset_mapping", uploaded))
    first = records(page)[0]
    assert (first["question"], first["answer"], first["contexts"]) == (
        "What is the fee?", "It is 2 %.", ["The fee is 2 %."],
    )  # fmt: skip
    checked = page.context["checked"]
    assert (checked.fitting, checked.bad, checked.whole, checked.contexts) == (2, 0, True, [1, 0])
    assert page.context["understood"][-1] == "header in line 1"
    mapping = page.context["form"].mapping
    assert (mapping["id"], mapping["question"], mapping["answer"]) == ("id", "question", "answer")
    assert (mapping["contexts"], mapping["split"], mapping["label"]) == ("contexts", "", None)


def test_an_example_stands_beside_each_column(signed_in, analyst, uploaded):
    form = signed_in(analyst).get(at("dataset_mapping", uploaded)).context["form"]
    assert ("answer", "answer · It is 2 %.") in form.fields["answer"].choices
    assert [column["example"] for column in form.context_columns] == [
        "The fee is 2 %.", "1", "What is the fee?", "It is 2 %.",
    ]  # fmt: skip


def test_the_preview_follows_the_choice_and_writes_nothing(signed_in, analyst, uploaded):
    data = chosen(answer="question", contexts=["answer", "contexts"], preview="1")
    page = signed_in(analyst).post(at("dataset_mapping", uploaded), data, headers=PART)
    assert records(page)[0]["answer"] == "What is the fee?"
    assert records(page)[0]["contexts"] == ["The fee is 2 %.", "It is 2 %."]  # found first, then as the file has them
    assert "<html" not in page.content.decode()
    assert "HX-Target" in page["Vary"]
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.UPLOADED


def test_while_too_little_is_chosen_the_first_row_is_shown_as_it_is(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, "甲,乙\n你好,世界\n再见,朋友\n")
    page = browser.post(at("dataset_mapping", dataset), {"preview": "1"})
    assert page.context["checked"] is None
    assert [text for _column, text in page.context["example"]][-2:] == ["你好", "世界"]


def test_bad_rows_are_shown_with_reason_and_remedy(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, GOOD + "3,too,few\n")
    page = browser.get(at("dataset_mapping", dataset))
    bad = page.context["checked"].rows[2]
    assert (bad.line, bad.record, page.context["checked"].bad) == (4, None, 1)
    assert "fields" in bad.reason
    assert bad.todo
    assert bad.todo in page.content.decode()


def test_another_encoding_is_read_at_once_and_a_wrong_one_refused(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, CHINESE.encode("gbk"))
    page = browser.get(at("dataset_mapping", dataset))
    assert records(page)[0]["question"] == "贷款年利率是多少？"
    as_it_is = {name: field.initial for name, field in page.context["reading"].fields.items()}
    sent = {**{name: page.context["reading"].initial[name] for name in as_it_is}, "encoding": "utf-8"}
    refused = browser.post(at("dataset_reading", dataset), sent)
    dataset.refresh_from_db()
    assert (refused.status_code, dataset.encoding) == (422, "gb18030")
    assert refused.context["problem"].what
    assert refused.context["problem"].todo
    assert refused.context["reading_open"]
    accepted = browser.post(at("dataset_reading", dataset), sent | {"encoding": "big5hkscs"})
    assert accepted["Location"] == at("dataset_mapping", dataset) + "?reading=open" or accepted.status_code == 422


def test_another_separator_is_read_at_once(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, "question;contexts;answer,x\nq;c;a,b\n")
    page = browser.get(at("dataset_mapping", dataset))
    other = {";": ",", ",": ";"}[dataset.delimiter]
    browser.post(at("dataset_reading", dataset), dict(page.context["reading"].initial) | {"delimiter": other})
    dataset.refresh_from_db()
    assert dataset.delimiter == other
    assert len(dataset.columns) == {";": 3, ",": 2}[other]


def test_a_first_row_can_be_said_to_be_data(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, GOOD)
    page = browser.get(at("dataset_mapping", dataset))
    browser.post(at("dataset_reading", dataset), dict(page.context["reading"].initial) | {"header": "no"})
    dataset.refresh_from_db()
    assert dataset.header is False
    assert browser.get(at("dataset_mapping", dataset)).context["understood"][-1].startswith("no header")


def test_what_is_not_on_the_list_changes_nothing(signed_in, analyst, uploaded):
    response = signed_in(analyst).post(at("dataset_reading", uploaded), {"encoding": "rot13"})
    assert response.status_code == 422
    assert "cannot be chosen" in response.context["problem"].what
    before = uploaded.encoding
    uploaded.refresh_from_db()
    assert uploaded.encoding == before


def test_a_file_of_an_archive_can_be_chosen_and_changed(signed_in, analyst, project):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.csv", GOOD)
        archive.writestr("二.jsonl", json.dumps({"question": "q", "contexts": ["c"], "answer": "zwei"}))
    browser, dataset = come(signed_in, analyst, project, packed.getvalue(), name="two.zip")
    page = browser.get(at("dataset_mapping", dataset))
    assert "several files" in page.context["problem"].what
    assert page.context["form"] is None
    assert at("dataset_delete", dataset) in page.content.decode()
    assert [value for value, _word in page.context["reading"].fields["member"].choices] == ["one.csv", "二.jsonl"]
    assert list(page.context["reading"].fields) == ["member"]
    for member, answer in (("二.jsonl", "zwei"), ("one.csv", "It is 2 %.")):
        browser.post(at("dataset_reading", dataset), {"member": member})
        page = browser.get(at("dataset_mapping", dataset))
        assert page.context["problem"] is None
        assert records(page)[0]["answer"] == answer
        assert f"file {member} in the archive" in page.context["understood"]
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.UPLOADED


def test_a_known_export_is_said_and_can_be_read_as_a_plain_table(signed_in, analyst, project):
    row = {"user_input": "q", "retrieved_contexts": ["one", "two"], "response": "a", "reference": "r"}
    browser, dataset = come(signed_in, analyst, project, json.dumps([row, row]), name="eval.json")
    page = browser.get(at("dataset_mapping", dataset))
    assert page.context["understood"][0] == "Looks like a ragas export"
    assert page.context["form"].mapping["reference"] == "reference"
    browser.post(at("dataset_reading", dataset), dict(page.context["reading"].initial) | {"shape": ""})
    dataset.refresh_from_db()
    assert dataset.shape == ""


def test_the_list_of_rows_in_a_wrapped_json_can_be_changed(signed_in, analyst, project):
    row = {"question": "q", "contexts": ["c"], "answer": "a"}
    wrapped = {"old": [row | {"answer": "before"}], "results": [row, row]}
    browser, dataset = come(signed_in, analyst, project, json.dumps(wrapped), name="wrapped.json")
    page = browser.get(at("dataset_mapping", dataset))
    sheet = page.context["reading"].fields["sheet"]
    assert sheet.label == "List of the rows"
    assert {"old", "results"} <= {value for value, _word in sheet.choices}
    assert f"rows from {dataset.sheet}" in page.context["understood"]
    browser.post(at("dataset_reading", dataset), dict(page.context["reading"].initial) | {"sheet": "old"})
    assert records(browser.get(at("dataset_mapping", dataset)))[0]["answer"] == "before"


def test_paths_into_lists_are_offered_in_a_group_of_their_own(signed_in, analyst, project):
    row = {"q": "Why?", "out": "Because.", "steps": [{"kind": "tool", "docs": [{"body": "one"}, {"body": "two"}]}]}
    browser, dataset = come(signed_in, analyst, project, json.dumps([row]), name="log.json")
    page = browser.get(at("dataset_mapping", dataset))
    groups = {
        name: choices for name, choices in page.context["form"].fields["answer"].choices if name == "Inside lists"
    }
    paths = [path for path, _word in groups["Inside lists"]]
    assert "steps[].docs[].body" in paths
    data = {"question": "q", "answer": "out", "contexts": ["steps[].docs[].body"], "preview": "1"}
    assert records(browser.post(at("dataset_mapping", dataset), data))[0]["contexts"] == ["one", "two"]


def test_a_split_is_proposed_and_never_done_unasked(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, NUMBERED)
    page = browser.get(at("dataset_mapping", dataset))
    assert page.context["checked"].contexts == [1, 1, 1]
    assert page.context["suggested"] == "The cells look like numbered lists."
    data = {"question": "question", "answer": "answer", "contexts": ["contexts"]}
    page = browser.post(at("dataset_mapping", dataset), data | {"split_so": page.context["suggestion"]})
    assert page.context["checked"].contexts == [3, 3, 3]
    assert page.context["form"].mapping["split"] == "numbered"
    browser.post(at("dataset_mapping", dataset), data | {"split": "numbered"})
    pipeline.import_dataset(dataset.pk)
    assert Sample.objects.first().contexts == ["one 0", "two 0", "three"]


def test_a_separator_of_ones_own_must_be_typed(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, GOOD.replace("The fee is 2 %.", "one ## two"))
    data = chosen(split="own", separator="", preview="1")
    assert "separator" in browser.post(at("dataset_mapping", dataset), data).context["form"].errors
    page = browser.post(at("dataset_mapping", dataset), data | {"separator": " ## "})
    assert records(page)[0]["contexts"] == ["one", "two"]
    assert page.context["form"].mapping["split"] == " ## "
    assert browser.post(at("dataset_mapping", dataset), chosen(split="own")).status_code == 422


def test_words_of_labels_are_counted_and_doubtful_ones_asked(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, LABELLED)
    page = browser.get(at("dataset_mapping", dataset))
    rows = {row.word: row for row in page.context["words"].rows}
    assert {word: (row.count, row.chosen) for word, row in rows.items()} == {
        "支持": (2, "SUPPORTED"), "不支持": (1, ""), "冲突": (1, "CONTRADICTED"),
    }  # fmt: skip
    assert "not supported" in rows["不支持"].reason
    assert rows["支持"].reason == ""


def test_an_import_waits_for_the_meaning_of_every_word(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, LABELLED)
    data = {"question": "question", "answer": "answer", "contexts": ["contexts"], "label": "human_label"}
    response = browser.post(at("dataset_mapping", dataset), data)
    assert response.status_code == 422
    assert response.context["problem"].what == "1 word of the human labels has no meaning yet."
    assert response.context["problem"].safe == "Nothing was imported."
    words = {"word": ["支持", "不支持", "冲突"], "meaning": ["SUPPORTED", "NOT_SUPPORTED", "-"]}
    words["words_of"] = response.context["words"].columns
    assert browser.post(at("dataset_mapping", dataset), data | words).status_code == 302
    pipeline.import_dataset(dataset.pk)
    found = GivenLabel.objects.order_by("sample__position").values_list("word", "label")
    assert list(found) == [
        ("支持", "SUPPORTED"), ("不支持", "NOT_SUPPORTED"), ("支持", "SUPPORTED"), ("冲突", ""),
    ]  # fmt: skip


def test_a_word_may_mean_something_else_in_another_column(signed_in, analyst, project):
    text = "question,contexts,answer,is_supported,is_hallucinated\nq,c,a,1,0\nq,c,a,0,1\n"
    browser, dataset = come(signed_in, analyst, project, text)
    data = {"question": "question", "answer": "answer", "contexts": ["contexts"], "label": "is_supported"}
    page = browser.post(at("dataset_mapping", dataset), data | {"preview": "1"})
    assert {row.chosen for row in page.context["words"].rows} == {""}
    said = {"word": ["1", "0"], "meaning": ["SUPPORTED", "NOT_SUPPORTED"], "words_of": page.context["words"].columns}
    page = browser.post(at("dataset_mapping", dataset), data | said | {"preview": "1"})
    assert page.context["words"].meanings == {"1": "SUPPORTED", "0": "NOT_SUPPORTED"}
    other = data | said | {"preview": "1", "label": "is_hallucinated"}
    page = browser.post(at("dataset_mapping", dataset), other)
    assert page.context["words"].meanings == {}
    assert [option for option, _word in page.context["words"].rows[0].options][1] == "SUPPORTED"  # 0: not made up


def test_a_column_judges_read_is_no_column_of_labels(signed_in, analyst, project):
    browser, dataset = come(signed_in, analyst, project, LABELLED)
    data = {"question": "question", "answer": "answer", "contexts": ["contexts"], "label": "answer"}
    page = browser.post(at("dataset_mapping", dataset), data | {"preview": "1"})
    words = {"word": [f"a{n}" for n in range(5)], "meaning": ["-"] * 5, "words_of": page.context["words"].columns}
    response = browser.post(at("dataset_mapping", dataset), data | words)
    assert response.status_code == 422
    assert "human labels" in response.context["problem"].what


def test_an_import_starts_once(signed_in, analyst, uploaded):
    browser = signed_in(analyst)
    for _ in range(2):
        response = browser.post(at("dataset_mapping", uploaded), chosen(generator="qwen-max"))
        assert response["Location"] == at("dataset", uploaded)
    uploaded.refresh_from_db()
    assert (uploaded.status, uploaded.generator) == (Dataset.Status.IMPORTING, "qwen-max")
    assert Event.objects.filter(kind="import").count() == 1


@pytest.mark.parametrize("wrong", [{"answer": ""}, {"contexts": []}, {"answer": "no such column"}])
def test_an_import_without_the_needed_columns_is_refused(signed_in, analyst, uploaded, wrong):
    response = signed_in(analyst).post(at("dataset_mapping", uploaded), chosen(**wrong))
    assert response.status_code == 422
    assert set(response.context["form"].errors) == set(wrong)
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.UPLOADED


def test_a_file_without_questions_can_be_imported(signed_in, analyst, uploaded):
    assert signed_in(analyst).post(at("dataset_mapping", uploaded), chosen(question="")).status_code == 302
    uploaded.refresh_from_db()
    assert uploaded.mapping["question"] == ""


def test_the_same_file_again_is_said_and_can_be_discarded(signed_in, analyst, uploaded, project):
    browser = signed_in(analyst)
    upload(browser, project)
    again = Dataset.objects.exclude(pk=uploaded.pk).get()
    page = browser.get(at("dataset_mapping", again))
    assert list(page.context["twins"]) == [uploaded]
    assert "Import again anyway" in page.content.decode()
    assert at("dataset_delete", again) in page.content.decode()
    browser.post(at("dataset_delete", again))
    assert Dataset.objects.get() == uploaded


def test_the_columns_are_filled_in_as_last_time(signed_in, analyst, project, imported):
    browser = signed_in(analyst)
    Dataset.objects.update(mapping=imported.mapping | {"answer": "question", "question": ""})
    upload(browser, project, GOOD + "3,q,c,a\n")
    fresh = Dataset.objects.exclude(pk=imported.pk).get()
    page = browser.get(at("dataset_mapping", fresh))
    assert page.context["remembered"] == imported
    assert page.context["form"].mapping["answer"] == "question"
    guessed = browser.get(at("dataset_mapping", fresh), {"guess": "1"})
    assert guessed.context["remembered"] is None
    assert guessed.context["form"].mapping["answer"] == "answer"


def test_a_file_that_is_gone_is_said_on_the_page(signed_in, analyst, uploaded):
    uploaded.path.unlink()
    page = signed_in(analyst).get(at("dataset_mapping", uploaded))
    assert "no longer on the server" in page.context["problem"].what
    assert page.context["form"] is None


def test_a_failed_import_says_why_and_can_be_tried_again(signed_in, analyst, uploaded):
    failure = {"code": "undecodable", "message": "…", "params": {"line": 3, "encoding": "utf-8"}}
    Dataset.objects.update(status=Dataset.Status.FAILED, failure=failure)
    browser = signed_in(analyst)
    page = browser.get(at("dataset_mapping", uploaded))
    assert page.context["problem"].what == "Line 3 holds bytes that are not utf-8 text."
    assert page.context["reading_open"]
    browser.post(at("dataset_mapping", uploaded), chosen())
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.IMPORTING


@pytest.mark.parametrize("name", ["dataset_mapping", "dataset_reading"])
def test_strangers_other_roles_and_wrong_methods_change_nothing(signed_in, request, analyst, uploaded, name):
    for who, status in (("stranger", 404), ("expert", 403), ("manager", 403)):
        assert signed_in(request.getfixturevalue(who)).post(at(name, uploaded), chosen()).status_code == status
    browser = signed_in(analyst)
    assert browser.get(at("dataset_reading", uploaded)).status_code == 405
    assert browser.put(at("dataset_mapping", uploaded)).status_code == 405
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.UPLOADED


def test_what_is_imported_has_no_columns_to_choose_any_more(signed_in, analyst, imported):
    browser = signed_in(analyst)
    assert browser.get(at("dataset_mapping", imported))["Location"] == at("dataset", imported)
    assert browser.post(at("dataset_reading", imported), {"encoding": "big5"})["Location"] == at("dataset", imported)
