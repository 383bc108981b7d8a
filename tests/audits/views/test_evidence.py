"""Cut evidence on the pages: what a verdict rests on is said, and what its judge did not see is grey."""

import re
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Project, Verdict
from tests.audits.factory import S, U, cut, make_audit, make_dataset, make_sample, speak

LONG = "Fees: the fee is 2 % of the sum. Shipping takes long. 😀Fees are due in March."
FIRST, LAST = [0, 0, 32], [0, LONG.index("😀"), len(LONG)]
TOTAL = len(LONG) + len("Unrelated <b>passage</b>.")


@pytest.fixture
def audit(project: Project) -> Audit:
    """Two claims; judge A saw parts of the contexts in its last call, judge B did so for the first claim only."""
    dataset = make_dataset(project, samples=0)
    sample = make_sample(dataset, 0, contexts=[LONG, "Unrelated <b>passage</b>."])
    audit = make_audit(dataset)
    for claim in cut(audit, sample, ["The fee is 2 %.", "The fee is due."]):
        speak(claim, S, S)
    see("A", 0, [FIRST], 6)
    see("B", 0, [FIRST, LAST], 2)
    see("A", 1, [FIRST, LAST], 6)
    see("B", 1, [FIRST], 1234)
    return audit


def see(letter: str, position: int, shown: list[list[int]] | None, windows: int, **fields: Any) -> None:
    judge = {"A": 0, "B": 1}[letter]
    verdict = Verdict.objects.filter(claim__position=position, member__position=judge)
    assert verdict.update(shown=shown, windows=windows, **fields) == 1


def page(browser: Any, audit: Audit, **query: str) -> Any:
    sample = audit.dataset.samples.get()
    return browser.get(reverse("audit_sample", args=[audit.project.slug, audit.pk, sample.pk]), query)


def grey(answer: Any) -> list[str]:
    return [piece.text for context in answer.context["contexts"] for piece in context.pieces if piece.cut]


def test_a_verdict_on_cut_evidence_says_what_it_rests_on(signed_in: Any, analyst: Any, audit: Audit) -> None:
    html = page(signed_in(analyst), audit).content.decode()
    assert f"Judged on cut evidence: 32 of {TOTAL} characters were shown in the last call, after 5 windows." in html
    assert f"{32 + LAST[2] - LAST[1]} of {TOTAL} characters were shown in the last call, after 1 window." in html
    assert "after 1,233 windows." in html
    assert html.count("What judge A saw") == 2


def test_what_was_in_no_last_call_is_grey_and_told_to_screen_readers(
    signed_in: Any, analyst: Any, audit: Audit
) -> None:
    answer = page(signed_in(analyst), audit)
    assert grey(answer) == [" Shipping takes long. ", "Unrelated <b>passage</b>."]
    html = answer.content.decode()
    assert "Grey: shown to no judge in its last call on any claim." in html
    assert html.count("[not shown in the last call] ") == 2
    assert "Unrelated &lt;b&gt;passage&lt;/b&gt;." in html


def test_the_view_of_one_verdict_can_be_asked_for(signed_in: Any, analyst: Any, audit: Audit) -> None:
    answer = page(signed_in(analyst), audit, seen="1A")
    assert grey(answer) == [LONG[32:], "Unrelated <b>passage</b>."]
    html = answer.content.decode()
    assert "Grey: not shown to judge A in its last call on claim 1." in html
    assert "All verdicts together" in html
    assert grey(page(signed_in(analyst), audit, seen="2A")) == [" Shipping takes long. ", "Unrelated <b>passage</b>."]


@pytest.mark.parametrize("seen", ["9Z", "", "1", "A1", "<script>", "1A' OR 1=1"])
def test_what_names_no_verdict_shows_all_together(signed_in: Any, analyst: Any, audit: Audit, seen: str) -> None:
    answer = page(signed_in(analyst), audit, seen=seen)
    assert answer.status_code == 200
    assert answer.context["chosen"] is None
    assert "<script>" not in answer.content.decode().split("<main")[1].split("</main>")[0]


def test_quotes_stay_marked_on_cut_evidence(signed_in: Any, analyst: Any, audit: Audit) -> None:
    answer = page(signed_in(analyst), audit, seen="1A")
    quoted = [piece for context in answer.context["contexts"] for piece in context.pieces if piece.over]
    assert {piece.text for piece in quoted} == {"the fee is 2 %"}
    assert not any(piece.cut for piece in quoted)


def test_contexts_that_were_judged_whole_are_never_grey(signed_in: Any, analyst: Any, audit: Audit) -> None:
    see("A", 0, None, 1)
    answer = page(signed_in(analyst), audit)
    assert grey(answer) == []
    assert "Grey:" not in answer.content.decode()
    assert answer.content.decode().count("Judged on cut evidence") == 3
    assert page(signed_in(analyst), audit, seen="1A").context["chosen"] is None


def test_an_unscored_verdict_without_a_last_call_says_so(signed_in: Any, analyst: Any, audit: Audit) -> None:
    see("A", 0, [], 4, label="", unscored="refused", quotes=[])
    see("B", 0, [], 0, label="", unscored="too_long", quotes=[])
    html = page(signed_in(analyst), audit).content.decode()
    assert "They were read in 4 windows, and no last call was made." in html
    assert "The contexts were not shown to this judge." in html
    assert grey(page(signed_in(analyst), audit)) == [" Shipping takes long. ", "Unrelated <b>passage</b>."]


def test_a_conflict_and_cut_evidence_are_seen_in_the_list_and_on_the_sample(
    signed_in: Any, analyst: Any, audit: Audit
) -> None:
    see("B", 1, None, 1, conflict=True)
    html = page(signed_in(analyst), audit).content.decode()
    assert html.count("the contexts contradict each other") == 1
    listed = signed_in(analyst).get(reverse("audit_claims", args=[audit.project.slug, audit.pk])).content.decode()
    assert listed.count(">conflict</span>") == 1
    assert listed.count(">cut evidence</span>") == 3


def test_pages_without_long_contexts_stay_as_they_are(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    (claim,) = cut(audit, audit.dataset.samples.get(), ["One."])
    speak(claim, S, U)
    html = page(signed_in(analyst), audit).content.decode()
    assert not any(word in html for word in ("cut evidence", "Grey:", "not shown", "contradict each other"))


# --- Long contexts are folded ---------------------------------------------------------------------------------

QUOTE = {"en": "the fee is 2 %", "zh": "手续费为2%"}
FILLER = {"en": "The parties agree on this, see Sec. 3.5 of it. ", "zh": "双方同意此事，参见第3.5条。"}


@pytest.fixture(params=["en", "zh"])
def folded(project: Project, request: Any) -> Audit:
    """A context of some 140,000 characters with one quote of judge A in its middle, and one that nobody quotes."""
    filler = FILLER[request.param] * (70_000 // len(FILLER[request.param]))
    text = f"{filler}{QUOTE[request.param]}. {filler}"
    dataset = make_dataset(project, samples=0)
    sample = make_sample(dataset, 0, contexts=[text, filler])
    audit = make_audit(dataset)
    (claim,) = cut(audit, sample, ["The fee is 2 %."])
    speak(claim, S, U, quote=QUOTE[request.param])
    return audit


def folds(html: str) -> list[tuple[bool, str, str]]:
    """(open, summary, text without tags) of each fold."""
    found = re.findall(r'<details class="more fold"( open)?><summary>(.*?)</summary>(.*?)</details>', html, re.DOTALL)
    return [(bool(opened), words, re.sub(r"<[^>]+>", "", text).strip("\n")) for opened, words, text in found]


def test_a_long_context_is_folded_around_its_quote_and_nothing_is_lost(
    signed_in: Any, analyst: Any, folded: Audit
) -> None:
    answer = page(signed_in(analyst), folded)
    html = answer.content.decode()
    found = folds(html)
    assert len(found) == 3 and all(words.endswith(" more characters") and not opened for opened, words, _ in found)
    assert 'id="quote-1-A-1"' in html and not any("quote-1-A-1" in text or "<mark" in text for *_, text in found)
    text, other = folded.dataset.samples.get().contexts
    outside = re.sub(
        r'<details class="more fold".*?</details>', "|", html.split('id="context-1"')[1], flags=re.DOTALL
    )
    assert 500 < len(re.sub(r"<[^>]+>", "", outside.split("|")[1]).strip()) < 900
    assert text.startswith(found[0][2]) and text.endswith(found[1][2]) and other.endswith(found[2][2])
    assert [f"{len(part):,} more characters" for *_, part in found] == [words for _, words, _ in found]
    assert html.count("<span") < 300


def test_folds_say_what_was_shown_and_the_view_of_one_judge_opens_it(
    signed_in: Any, analyst: Any, folded: Audit
) -> None:
    at = folded.dataset.samples.get().contexts[0].index("2")
    see("A", 0, [[0, 10_000, 14_200], [0, at - 40, at + 40]], 9)
    see("B", 0, [[0, 20_000, 21_000]], 9)
    found = folds(page(signed_in(analyst), folded).content.decode())
    assert [words for _, words, _ in found][:5] == [
        "10,000 characters, not shown in the last call",
        "4,200 characters, shown in the last call",
        "5,800 characters, not shown in the last call",
        "1,000 characters, shown in the last call",
        found[4][1],
    ]
    assert found[4][1].endswith(" characters, not shown in the last call") and len(found) == 7
    assert not any(opened for opened, *_ in found)
    found = folds(page(signed_in(analyst), folded, seen="1A").content.decode())
    assert [(opened, words) for opened, words, _ in found][:3] == [
        (False, "10,000 characters, not shown in the last call"),
        (True, "4,200 characters, shown in the last call"),
        (False, found[2][1]),
    ]


def test_a_fold_with_both_says_how_much_was_not_shown(signed_in: Any, analyst: Any, folded: Audit) -> None:
    for judge in "AB":
        see(judge, 0, [[0, 10_000, 14_000], [0, 14_100, 20_000]], 9)
    words = [words for _, words, _ in folds(page(signed_in(analyst), folded).content.decode())]
    assert words[1] == "10,000 characters, 100 of them not shown in the last call"
