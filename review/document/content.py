"""The first page: from the certificate to the strings that are printed. Typst never reads any of it as markup."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from review.document.annex import FIRST_PAGE, Annex
from review.document.phrases import Phrases, Table, table
from review.document.text import UNIT, address, bare, in_lines, percent, plain, short_percent

_SHORT = 48  # characters of a name on the first page, which has to stay one page


def content(
    certificate: Mapping[str, Any],
    language: str,
    verify_url: str,
    revoked: str | None,
    added: Mapping[str, Any] | None = None,
    successor: str = "",
) -> dict[str, Any]:
    """Everything printed, as strings in nested lists, for certificate.typ. KeyError if a part is missing.

    added: what came after the signature (Certificate.added). successor: the number of the version that supersedes it.
    """
    annex = Annex(certificate, language, added)
    printed = _FirstPage(certificate, language).build(verify_url, revoked, successor)
    printed |= {"tables": [annex.judges(*FIRST_PAGE)], "annexes": annex.tables()}
    return _without_spaces_before_percent(printed) if language == "zh" else printed


def _without_spaces_before_percent(value: Any) -> Any:
    """Chinese writes 2.80%. Names cannot hold that space: plain() has replaced it."""
    if isinstance(value, str):
        return value.replace(UNIT, "%")
    if isinstance(value, list):
        return [_without_spaces_before_percent(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_spaces_before_percent(item) for key, item in value.items()}
    return value


class _FirstPage(Phrases):
    """What stands on the first page."""

    def build(self, verify_url: str, revoked: str | None, successor: str) -> dict[str, Any]:
        statement, signature = self.statement, self.certificate["signature"]
        say = self.say
        state, notes = self.standing(revoked, successor)
        marks = [state] if state else []
        marks += [say("specimen")] if statement["specimen"] else []
        if statement["specimen"]:
            notes.append(self.join(say("specimen_note"), *self.accuracy()))
        return {
            "language": self.language,
            "issued_at": statement["issued_at"],
            "office": say("office"),
            "title": say("title"),
            "subtitle": say("subtitle"),
            "number": [say("number"), self.number()],
            "page": say("page", number=self.number(), page="{page}", pages="{pages}"),
            "subject": self.subject(),
            "marks": marks,
            "notes": notes,
            "decision": [say("decision"), say(self.result["decision"])],
            "figures": self.figures(),
            "sentences": self.sentences(),
            "reasons": [self.code(code) for code in (*self.result["reasons"], *self.result["warnings"])],
            "counts": self.counts(),
            "limits": [say("limits"), [self.words.get(code, plain(code)) for code in statement["limits"]]],
            "seal": [
                [say("key"), signature["key_id"]],
                [say("sha256"), in_lines(self.certificate["sha256"], 32)],
                [say("verify"), address(verify_url)],
            ],
            "seal_title": say("seal"),
            "offline": say("offline"),
            "annex": say("annex", number=self.number()),
        }

    def standing(self, revoked: str | None, successor: str) -> tuple[str, list[str]]:
        """The mark and the note of a certificate that does not stand any more; ("", []) of one that does."""
        if revoked is not None:
            reason = plain(revoked, 100) or self.say("no_reason")
            return self.say("revoked"), [self.say("revoked_note", reason=reason)]
        if successor:
            return self.say("superseded"), [self.say("superseded_note", number=plain(successor, 60))]
        return "", []

    def accuracy(self) -> list[str]:
        """How often the offline judges of a specimen are right."""
        found = self.statement.get("specimen_accuracy")
        if not found:
            return []
        figures = {name: percent(found[name]) for name in ("rules", "vector", "shared_words")}
        return [self.say("specimen_accuracy", sets=found["sets"], **figures)]

    def subject(self) -> list[list[str]]:
        statement = self.statement
        rows = [
            ["client", plain(statement.get("client", ""), _SHORT)],  # schema 1 names none
            ["system", plain(statement["system"], _SHORT)],
            ["project", plain(statement["project"], _SHORT)],
            [
                "dataset",
                plain(statement["dataset"]["name"], _SHORT) + " · " + self.rows(statement["dataset"]["rows"]),
            ],
            ["traffic", plain(statement["traffic"], _SHORT)],
            ["issuer", plain(statement["issuer"], _SHORT)],
            ["issued", self.date(statement["issued_at"])],
        ]
        return [[self.say(key), value] for key, value in rows if value]

    def rows(self, count: int) -> str:
        return self.say("rows", rows=f"{count:,}")

    def figures(self) -> list[list[str]]:
        """[label, number, what is behind it] of the four figures under the decision."""
        say, rule = self.say, self.statement["rule"]
        low, high = self.result["one_sided"]["low"], self.result["one_sided"]["high"]
        level = say("one_sided", level=short_percent(self.result["one_sided"]["level"]))
        limit = (
            [say("lower"), percent(low, ROUND_FLOOR) if low is not None else "–", level]
            if self.result["decision"] == "FAIL"
            else [say("upper"), percent(high, ROUND_CEILING) if high is not None else "–", level]
        )
        return [
            [say("rate"), *self.headline()],
            limit,
            [say("threshold"), short_percent(rule["threshold"]), say("set_before", date=rule["set_at"][:10])],
            [
                say("basis"),
                f"{self.statement['outcome']['claims']:,}",
                say("of_answers", answers=f"{self.statement['outcome']['answers']:,}"),
            ],
        ]

    def headline(self) -> list[str]:
        if self.unaudited:
            return ["–", self.say("undefined")]
        estimate = self.result[self.result["scope"]]
        if estimate["low"] is None:
            return [percent(self.result["rate"]), self.code(estimate["reason"])]
        return [
            percent(self.result["rate"]),
            self.say(
                "two_sided",
                low=bare(percent(estimate["low"], ROUND_FLOOR)),
                high=percent(estimate["high"], ROUND_CEILING),
                confidence=short_percent(estimate["confidence"]),
            ),
        ]

    def sentences(self) -> list[str]:
        """The decision in plain words, then what the experts did."""
        decision, scope, outcome = self.result["decision"], self.result["scope"], self.statement["outcome"]
        if not outcome["claims"]:
            return [self.say("no_rate")]
        limits = self.result["one_sided"]
        values = {
            "level": short_percent(limits["level"]),
            "threshold": short_percent(self.statement["rule"]["threshold"]),
            "low": "" if limits["low"] is None else percent(limits["low"], ROUND_FLOOR),
            "high": "" if limits["high"] is None else percent(limits["high"], ROUND_CEILING),
        }
        key = "INSUFFICIENT_any" if decision == "INSUFFICIENT" else f"{decision}_{scope}"
        opening = self.opening()
        settled = self.join(opening, self.say(key, **values))
        # What was not settled ends in a colon: the reasons come right under it.
        return [self.checked(), settled] if decision == "INSUFFICIENT" else [settled, self.checked()]

    def opening(self) -> str:
        """The rate by the experts' word, where there is one."""
        if self.unaudited:
            return self.say("no_rate")
        outcome = self.statement["outcome"]
        claims, answers = f"{outcome['claims']:,}", f"{outcome['answers']:,}"
        return self.say("opening", claims=claims, answers=answers, rate=percent(self.result["rate"]))

    def checked(self) -> str:
        drawn = [s for s in self.statement["spot_check"] if s["random"]]
        whole = [s for s in self.statement["spot_check"] if not s["random"]]
        wrong = sum(
            s["hallucinated"] if s["stratum"].startswith("supported") else s["checked"] - s["hallucinated"]
            for s in drawn
        )
        return self.say(
            "checked",
            checked=f"{sum(s['checked'] for s in drawn):,}",
            agreed=f"{sum(s['claims'] for s in drawn):,}",
            wrong=f"{wrong:,}",
            settled=f"{sum(s['checked'] for s in whole):,}",
            disputed=f"{sum(s['claims'] for s in whole):,}",
        )

    def beside(self) -> list[str]:
        """Figures that stand beside the rate; certificates of schema 1 have none."""
        statement, say = self.statement, self.say
        if "macro" not in statement:
            return []
        macro, refusals = statement["macro"][self.result["scope"]], statement["refusals"]
        return [
            say("per_answer", rate=self.corrected(macro), n=f"{macro['n']:,}"),
            say("disputed_share", rate=self.estimate(statement["disagreement"]["disputed"])),
            say("refused", rate=self.estimate(refusals), n=f"{refusals['n']:,}"),
            say("two_sided_note", confidence=short_percent(macro["confidence"])),
        ]

    def counts(self) -> Table:
        say, judged, outcome = self.say, self.statement["judged"], self.statement["outcome"]
        keys = (("SUPPORTED", "supported"), ("CONTRADICTED", "contradicted"), ("UNVERIFIED", "unverified"))
        rows = []
        for word, key in (*keys, ("disputed", "disputed"), ("all_claims", "claims")):
            cells = [say(word)]
            for rate in (judged, outcome):
                cells += [f"{rate[key]:,}", percent(rate[key] / rate["claims"]) if rate["claims"] else "–"]
            rows.append(cells)
        samples = self.statement["samples"]
        note = say(
            "coverage",
            judged="–" if judged["coverage"] is None else percent(judged["coverage"], ROUND_FLOOR),
            outcome="–" if outcome["coverage"] is None else percent(outcome["coverage"], ROUND_FLOOR),
            unscored=f"{judged['unscored']:,}",
            without=f"{samples['without_claims']:,}",
            refusals=f"{samples['refusals']:,}",
            failed=f"{samples['failed']:,}",
        )
        if outcome["disputed"] and outcome["bounds"]:
            low, high = outcome["bounds"]["low"], outcome["bounds"]["high"]
            open_claims = say(
                "bounds",
                open=f"{outcome['disputed']:,}",
                low=percent(low, ROUND_FLOOR),
                high=percent(high, ROUND_CEILING),
            )
            note = self.join(note, open_claims)
        note = self.join(note, *self.beside())
        heads = [say("label"), say("by_judges"), say("share"), say("by_review"), say("share")]
        return table(say("counts"), heads, (1, "r", "r", "r", "r"), rows, note)
