"""Tables of the annex on what stands beside the result; certificates of schema 1 have none of them."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR
from typing import Any

from review.document.phrases import Phrases, Table, table
from review.document.text import in_lines, percent, plain, short_percent

_LONG = 600  # characters of what somebody wrote
_REASONS = ("question", "opinion", "refusal", "transition", "other")  # in the order in which the sentence reads


def further(phrases: Phrases) -> Table:
    """Rates that decide nothing: figure, what it speaks of, n, value."""
    say, statement = phrases.say, phrases.statement
    if "macro" not in statement:
        return _empty()
    macro, apart = statement["macro"], statement["disagreement"]
    figures = [
        ("macro", "dataset", macro["dataset"], phrases.corrected),
        ("macro", "traffic", macro["traffic"], phrases.corrected),
        ("disputed_claims", "traffic", apart["disputed"], phrases.estimate),
        ("unscored_claims", "traffic", apart["unscored"], phrases.estimate),
        ("refusing", "traffic", statement["refusals"], phrases.estimate),
    ]
    rows = [
        [say(name), say(f"scope_{scope}"), f"{found['n']:,}", write(found)] for name, scope, found, write in figures
    ]
    heads = [say("figure"), say("estimates"), "n", say("share")]
    note = say("further_note", confidence=short_percent(macro["dataset"]["confidence"]))
    return table(say("further"), heads, (2.4, 1, "r", "r"), rows, note)


def made(phrases: Phrases) -> Table:
    """From the client's answers to the experts' labels, in words and counts."""
    say, statement = phrases.say, phrases.statement
    if "extraction" not in statement:
        return _empty()
    dataset = statement["dataset"]
    rows = [
        [say("client_name"), plain(statement["client"], _LONG) or say("not_stated")],
        [say("system"), plain(statement["system"], _LONG) or say("not_stated")],
        [say("sampled"), plain(dataset["drawn"], _LONG) or say("not_stated")],
        [say("period"), _period(phrases, dataset["period"])],
        [say("extraction"), _extraction(phrases, statement["extraction"])],
    ]
    if statement["plan"] is not None:
        rows.append([say("planned"), _plan(phrases, statement["plan"])])
    rows.append([say("review"), _review(phrases, statement["review"])])
    if unknown := _unknown(phrases, statement["families"]):
        rows.append([say("unknown_families"), unknown])
    if refused := _refused(phrases):
        rows.append([say("refused_options"), refused])
    return table(say("made"), [], (1, 3.3), rows)


def calibration(phrases: Phrases) -> Table:
    """The judges against labels that people gave another dataset."""
    say, found = phrases.say, phrases.statement.get("calibration")
    if not found:
        return _empty()
    rows = []
    for one in found["sets"]:
        unit = f"{one['units']:,} {say('unit_' + one['unit'])}"
        for name, rates in _seats(phrases, one):
            figures = [phrases.estimate(rates[key]) for key in ("precision", "recall")]
            rows.append([name, unit, *figures, phrases.estimate(rates["kappa"], as_percent=False)])
    heads = [say(key) for key in ("role", "units", "precision", "recall", "kappa")]
    note = say(
        "calibration_note",
        name=plain(found["name"]),
        date=str(found["judged_at"] or "–")[:10],
        dataset=plain(found["dataset"]["name"]),
        sha256=in_lines(found["dataset"]["sha256"], 32),
    )
    return table(say("calibration"), heads, (1.6, 0.9, "r", "r", "r"), rows, note)


def _seats(phrases: Phrases, one: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    judges = [(plain(f"{judge['vendor']}:{judge['model']}", 80), judge) for judge in one["judges"]]
    return [*judges, (phrases.say("panel"), one["panel"])]


def _empty() -> Table:
    return table("", [], (1,), [])


def _period(phrases: Phrases, period: Mapping[str, str | None]) -> str:
    days = [day for day in (period["from"], period["to"]) if day]
    return f" {phrases.say('to')} ".join(dict.fromkeys(days)) or phrases.say("not_stated")


def _extraction(phrases: Phrases, found: Mapping[str, Any]) -> str:
    say, counts = phrases.say, found["without_claims"].items()  # databases keep names in an order of their own
    reasons = [say(reason, n=f"{count:,}") for reason, count in sorted(counts, key=_place)]
    return say(
        "extraction_text",
        answers=f"{found['answers']:,}",
        sentences=f"{found['sentences']:,}",
        claimed=f"{found['with_claims']:,}",
        reasons=("，" if phrases.language == "zh" else ", ").join(reasons),
        unaccounted=f"{found['unaccounted']:,}",
        coverage="–" if found["coverage"] is None else percent(found["coverage"], ROUND_FLOOR),
        claims=f"{found['claims']:,}",
        vague=f"{found['vague']:,}",
        ambiguous=f"{found['ambiguous']:,}",
    )


def _place(counted: tuple[str, int]) -> tuple[int, str]:
    reason, _ = counted
    return (_REASONS.index(reason) if reason in _REASONS else len(_REASONS), reason)


def _plan(phrases: Phrases, plan: Mapping[str, Any]) -> str:
    none = phrases.say("none")
    return phrases.say(
        "plan_text",
        expected=percent(plan["expected_rate"]),
        chance=percent(plan["chance"]),
        hours=plan["hours"],
        needed=none if plan["needed"] is None else f"{plan['needed']:,}",
        spot=f"{plan['spot_check']:,}",
        **{name: f"{plan[name]:,}" for name in ("answers", "claims", "proposed")},
    )


def _review(phrases: Phrases, review: Mapping[str, int]) -> str:
    counts = ("doubles", "arbitrated", "recut", "given_up", "skipped", "looks")
    return phrases.say(
        "review_text",
        registered=phrases.statement["rule"]["looks"],
        percent=short_percent(review["double_percent"] / 100),
        waived=f"{review['doubles_waived']:,}",
        changed=f"{review['changed_after_reveal']:,}",
        **{name: f"{review[name]:,}" for name in counts},
    )


def _unknown(phrases: Phrases, families: Mapping[str, Sequence[str]]) -> str:
    said = []
    for key, name in (("generators", "unknown_generators"), ("judging", "unknown_judges")):
        if names := [plain(one) or phrases.say("not_stated") for one in families[name]]:
            said.append(phrases.say(key, names=", ".join(names)))
    return phrases.words["and"].join(said)


def _refused(phrases: Phrases) -> str:
    members = [*phrases.statement["judges"], phrases.statement["extractor"]]
    said = {f"{m['vendor']}:{m['model']}": m["refused"] for m in members if m["refused"]}
    return phrases.words["and"].join(
        f"{plain(name)}{phrases.wrap(plain(', '.join(notes), _LONG))}" for name, notes in said.items()
    )
