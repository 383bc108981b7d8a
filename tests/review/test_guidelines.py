"""The guidelines of a project: built in, written, in versions, and never lost between two managers."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Event, Project, Role
from review import guidelines
from review.guidelines import MOST_EXAMPLES, Example, Overtaken, built_in, change_of, history, panel, publish
from review.models import Guidelines
from tests.pages import Visitor

pytestmark = pytest.mark.django_db
ONE = Example("Students pay no fee.", "Fees are waived for students.", "SUPPORTED", "Less than the context.")
TWO = Example("分行成立于1950年。", "分行成立于1994年。", "CONTRADICTED", "年份不同。")


def write(project: Project, by: Any, text: str = "Our rules.", based_on: int = 0, *examples: Example) -> Any:
    return publish(project, by=by, text=text, examples=examples or (ONE,), based_on=based_on)


# --- What holds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "word"), [("en", "Unverified:"), ("zh-hans", "无据："), ("fr", "Unverified:")])
def test_a_project_without_its_own_has_the_built_in_ones(project: Project, language: str, word: str) -> None:
    guide = panel(project, language)
    assert guide.version == 0 and word in guide.text
    assert [(label, len(examples)) for label, examples in guide.by_label] == [
        ("SUPPORTED", 2),
        ("CONTRADICTED", 2),
        ("UNVERIFIED", 2),
    ]


def test_versions_are_numbered_and_the_newest_holds(project: Project, manager: Any) -> None:
    write(project, manager)
    write(project, manager, "Our rules.\n\nAnd more.", 1, ONE, TWO)
    guide = panel(project, "zh-hans")
    assert (guide.version, guide.author, guide.paragraphs) == (2, "max", ["Our rules.", "And more."])
    assert guide.examples == (ONE, TWO)
    assert [event.data["version"] for event in Event.objects.filter(kind="guidelines_published")] == [1, 2]


def test_nothing_changed_makes_no_version(project: Project, manager: Any) -> None:
    for language in ("en", "zh"):
        guide = built_in(language)
        assert publish(project, by=manager, text=guide.text, examples=guide.examples, based_on=0) is None
    assert write(project, manager) is not None
    assert write(project, manager, "Our rules. \r\n", 0) is None, "the same sent twice is stored once"
    assert Guidelines.objects.count() == 1


def test_the_second_of_two_managers_is_told_and_overwrites_nothing(project: Project, manager: Any) -> None:
    write(project, manager, "Mine.")
    with pytest.raises(Overtaken) as found:
        write(project, manager, "Yours.")
    assert found.value.newest.text == "Mine."
    assert Guidelines.objects.count() == 1


def test_the_second_of_two_managers_in_the_same_moment_is_told_too(
    project: Project, manager: Any, monkeypatch: Any
) -> None:
    """Both have read that there is no version yet; the database takes one of the two."""
    write(project, manager, "Mine.")
    real, asked = guidelines.in_force, []

    def late(project: Project) -> Any:
        asked.append(project)
        return None if len(asked) == 1 else real(project)

    monkeypatch.setattr(guidelines, "in_force", late)
    with pytest.raises(Overtaken):
        write(project, manager, "Yours.")
    assert [row.text for row in Guidelines.objects.all()] == ["Mine."]


def test_versions_say_what_they_changed(project: Project, manager: Any) -> None:
    write(project, manager, "Look at numbers.")
    write(project, manager, "Look at dates.", 1, TWO)
    newest, first = history(project)
    assert (newest.text_changed, newest.added, newest.gone) == (True, (TWO,), (ONE,))
    assert first.text_changed and len(first.gone) == 6, "compared with the built-in ones"
    change = change_of(project, 2)
    assert change is not None and change.after is not None
    (stretch,) = change.after
    ((start, end),) = stretch.spans
    assert stretch.text[start:end] == "dates"
    assert change_of(project, 3) is None


# --- The pages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role.values)
def test_everybody_in_the_project_reads_them_and_managers_change_them(
    project: Project, person: Any, role: str
) -> None:
    page = Visitor(person("rea", project, role)).open(reverse("guidelines", args=(project.slug,)))
    assert "Unverified:" in page.text
    assert ("Change the guidelines" in page.links) == (role == Role.MANAGER)


def test_hostile_text_is_shown_as_text(project: Project, manager: Any, expert: Any) -> None:
    write(project, manager, "<script>alert(1)</script>\n\n只看上下文。", 0, Example("<b>x</b>", "", "SUPPORTED", ""))
    page = Visitor(expert).open(reverse("guidelines", args=(project.slug,)))
    assert "&lt;script&gt;alert(1)" in page.source and "&lt;b&gt;x&lt;/b&gt;" in page.source
    assert '<p class="data-text" lang="zh-Hans">只看上下文。</p>' in page.source


def test_a_manager_writes_a_version_without_scripts(project: Project, manager: Any) -> None:
    visitor = Visitor(manager)
    form = visitor.open(reverse("guidelines_edit", args=(project.slug,))).form("/guidelines/edit/")
    while any(name == "remove" for name, _value, _text in form.buttons):
        form = visitor.send(form, button="Take example 1 out").form("/guidelines/edit/")
    page = visitor.send(form, button="Add an example")
    assert "Nothing is saved yet" in page.text and not Guidelines.objects.exists()
    form = page.form("/guidelines/edit/")
    typed = {"text": "只看上下文。", "example-0-claim": TWO.claim, "example-0-context": TWO.context}
    page = visitor.send(form, **typed, **{"example-0-label": TWO.label, "example-0-why": TWO.why})
    assert "Version 1 holds from now on." in page.text
    made = panel(project, "en")
    assert (made.text, made.examples) == ("只看上下文。", (TWO,))
    shown = visitor.open(page.links["1"].split("#")[0])
    assert "What version 1 changed" in shown.text and "Compared with the built-in guidelines" in shown.text
    visitor.open(reverse("guidelines", args=(project.slug,)) + "?version=7", status=404)
    visitor.open(reverse("guidelines", args=(project.slug,)) + "?version=" + "9" * 5000, status=404)


def test_rows_keep_what_was_typed_when_others_come_and_go(project: Project, manager: Any) -> None:
    write(project, manager, "Rules.", 0, ONE, TWO)
    visitor = Visitor(manager)
    form = visitor.open(reverse("guidelines_edit", args=(project.slug,))).form("/guidelines/edit/")
    page = visitor.send(form, button="Take example 1 out", text="Typed.", **{"example-1-why": "因为<年份>"})
    fields = dict(page.form("/guidelines/edit/").fields)
    assert (fields["text"], fields["example-0-claim"], fields["example-0-why"]) == ("Typed.", TWO.claim, "因为<年份>")
    assert "example-1-claim" not in fields


def test_only_so_many_examples_fit(project: Project, manager: Any) -> None:
    write(project, manager, "Rules.", 0, *[Example(f"Claim {n}.", "", "SUPPORTED", "") for n in range(MOST_EXAMPLES)])
    visitor = Visitor(manager)
    page = visitor.open(reverse("guidelines_edit", args=(project.slug,)))
    form = page.form("/guidelines/edit/")
    assert "Add an example" not in [text for _name, _value, text in form.buttons]
    more = {"example-TOTAL_FORMS": "13", "example-12-claim": "One more.", "example-12-label": "SUPPORTED"}
    assert "At most 12 examples fit" in visitor.send(form, status=422, **more).text


def test_a_half_example_is_refused_and_stays(project: Project, manager: Any) -> None:
    visitor = Visitor(manager)
    form = visitor.open(reverse("guidelines_edit", args=(project.slug,))).form("/guidelines/edit/")
    page = visitor.send(form, status=422, **{"example-0-claim": "", "example-1-label": ""})
    assert "An example needs a claim." in page.text and "An example needs a label." in page.text
    assert not Guidelines.objects.exists()


def test_an_empty_row_is_no_example(project: Project, manager: Any) -> None:
    write(project, manager, "Rules.", 0, ONE, TWO)
    visitor = Visitor(manager)
    form = visitor.open(reverse("guidelines_edit", args=(project.slug,))).form("/guidelines/edit/")
    visitor.send(form, **{f"example-0-{part}": "" for part in ("claim", "context", "label", "why")})
    assert panel(project, "en").examples == (TWO,)


def test_a_manager_who_was_overtaken_sees_both_and_goes_on(project: Project, manager: Any, person: Any) -> None:
    first, second = Visitor(manager), Visitor(person("mia", project, Role.MANAGER))
    address = reverse("guidelines_edit", args=(project.slug,))
    forms = [visitor.open(address).form("/guidelines/edit/") for visitor in (first, second)]
    first.send(forms[0], text="Written by Max.")
    page = second.send(forms[1], status=409, text="Written by Mia.")
    assert "max has saved version 1 while you wrote." in page.text and "Written by Max." in page.text
    form = page.form("/guidelines/edit/")
    assert dict(form.fields)["text"] == "Written by Mia."
    second.send(form, text="Written by Max. And by Mia.")
    assert [version.guide.text for version in history(project)] == ["Written by Max. And by Mia.", "Written by Max."]
