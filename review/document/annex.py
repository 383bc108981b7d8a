"""The annex: judges, spot check, limits, agreement, prompts, experts, and the record that lets somebody repeat it."""

from decimal import ROUND_CEILING, ROUND_FLOOR

from review.document.background import calibration, further, made
from review.document.phrases import Phrases, Table, table
from review.document.text import bare, decimal, in_lines, percent, plain, short_percent

FIRST_PAGE = (40, 60)  # characters of a model and of those that answered, for Annex.judges
_LONGEST = 240  # characters of a claim and of a marked passage


class Annex(Phrases):
    """The tables behind the first page; each method gives one."""

    def tables(self) -> list[Table]:
        """All that follow the first page, empty ones left out."""
        parts = [self.spot_check(), self.scopes(), further(self), made(self), calibration(self), self.agreement()]
        parts += [
            self.judges_in_full(),
            self.prompts(),
            self.reviewers(),
            self.overrides(),
            self.evidence(),
            self.record(),
        ]
        return [part for part in parts if part["rows"]]

    def judges(self, model: int = 160, answered: int = 300) -> Table:
        """Judges and extractor; names cut to that many characters."""
        say = self.say
        named = [(say("judge", number=number), judge) for number, judge in enumerate(self.statement["judges"], 1)]
        named.append((say("extractor"), self.statement["extractor"]))
        rows = [
            [
                role,
                plain(one["vendor"], 30),
                plain(one["model"], model),
                plain(", ".join(map(str, one["answered_by"])), answered) or "–",
            ]
            for role, one in named
        ]
        heads = [say(key) for key in ("role", "vendor", "model", "answered_by")]
        return table(say("judges"), heads, (1, 1, 1.5, 2), rows)

    def judges_in_full(self) -> Table:
        """The same with longer names, where the first page had to cut them; else without rows."""
        long = self.judges()
        return long if long != self.judges(*FIRST_PAGE) else long | {"rows": []}

    def stratum(self, name: str) -> str:
        return self.words["disputed_stratum"] if name == "disputed" else self.words.get(name, plain(name))

    def spot_check(self) -> Table:
        say = self.say
        rows = [
            [
                self.stratum(s["stratum"]),
                say("random" if s["random"] else "all"),
                f"{s['claims']:,}",
                f"{s['checked']:,}",
                f"{s['hallucinated']:,}",
                self.estimate(s["share"]),
            ]
            for s in self.statement["spot_check"]
        ]
        note = say(
            "interval_note",
            confidence=short_percent(self.result["dataset"]["confidence"]),
            deff=decimal(self.result["design_effect"]),
        )
        if left := sum(s.get("given_up", 0) for s in self.statement["spot_check"]):
            note = self.join(note, say("given_up_note", n=f"{left:,}"))
        heads = [say(k) for k in ("stratum", "how", "claims", "reviewed", "hallucinated", "share")]
        return table(say("spot_check"), heads, (1.6, 1, "r", "r", "r", "r"), rows, note)

    def scopes(self) -> Table:
        say, limits = self.say, self.result["one_sided"]
        rows = []
        for scope in ("dataset", "traffic"):
            cells = [say(f"scope_{scope}"), self.corrected(self.result[scope]), "–"]
            if scope == self.result["scope"]:
                cells[0] += self.wrap(say("decides"))
                if limits["low"] is not None:
                    low, high = percent(limits["low"], ROUND_FLOOR), percent(limits["high"], ROUND_CEILING)
                    cells[2] = f"{bare(low)} {say('to')} {high}"
            rows.append(cells)
        heads = [
            say("scope"),
            say("two_sided_head", confidence=short_percent(self.result["dataset"]["confidence"])),
            say("one_sided_head", level=short_percent(limits["level"])),
        ]
        return table(say("scopes"), heads, (1, "r", "r"), rows)

    def party(self, code: str) -> str:
        kind, _, number = code.partition(":")
        if kind == "judge" and number.isdigit():
            return self.say("judge", number=number)
        return self.say("experts") if code == "experts" else plain(code)

    def agreement(self) -> Table:
        say = self.say
        rows = []
        for found in self.statement["agreement"]:
            between = " – ".join(self.party(code) for code in found["between"])
            rows.append(
                [
                    between + (self.wrap(self.code(found["note"])) if found["note"] else ""),
                    f"{found['n']:,}",
                    f"{found['excluded']:,}",
                    self.estimate(found["percent"]),
                    self.estimate(found["kappa"], as_percent=False),
                    self.estimate(found["ac1"], as_percent=False),
                ]
            )
        heads = [say("between"), "n", *(say(k) for k in ("excluded", "percent", "kappa", "ac1"))]
        return table(say("agreement"), heads, (1, "r", "r", "r", "r", "r"), rows, say("agreement_note"))

    def prompts(self) -> Table:
        rows = [[plain(p["name"]), plain(p["version"]), in_lines(p["sha256"], 64)] for p in self.statement["prompts"]]
        heads = [self.say("name"), self.say("version"), "SHA-256"]
        return table(self.say("prompts"), heads, (1, 1, 4.5), rows)

    def reviewers(self) -> Table:
        rows = [[plain(r["name"]), f"{r['adjudications']:,}"] for r in self.statement["reviewers"]]
        return table(self.say("reviewers"), [self.say("name"), self.say("adjudications")], (1, "r"), rows)

    def overrides(self) -> Table:
        rows = [
            [self.code(o["code"]), ", ".join(filter(None, (plain(o["by"]), o["at"][:10]))), plain(o["reason"], 600)]
            for o in self.statement["overrides"]
        ]
        return table(self.say("overrides"), [self.say(k) for k in ("rule", "by", "reason")], (1.3, 1.2, 2.5), rows)

    def evidence(self) -> Table:
        """What experts marked; certificates of earlier versions say nothing of it."""
        say, found = self.say, self.statement.get("evidence", {"total": 0, "listed": []})
        rows = [
            [
                plain(one["claim"], _LONGEST),
                self.words.get(one["label"], plain(one["label"])),
                plain(one["text"], _LONGEST),
                plain(one["sample"], 40) + self.wrap(say("context", number=one["context"] + 1)),
            ]
            for one in found["listed"]
        ]
        left = found["total"] - len(rows)
        more = [say("evidence_left", left=f"{left:,}", total=f"{found['total']:,}")] if left else []
        heads = [say(key) for key in ("claim", "label", "passage", "source")]
        return table(say("evidence"), heads, (2.2, 1.3, 3, 1.4), rows, self.join(say("evidence_note"), *more))

    def record(self) -> Table:
        say, statement, rule = self.say, self.statement, self.statement["rule"]
        text = say(
            "rule_text",
            threshold=short_percent(rule["threshold"]),
            scope=say(f"scope_{rule['scope']}"),
            confidence=short_percent(rule["confidence"]),
            looks=rule["looks"],
            spot=say("none") if rule["spot_check"] is None else f"{rule['spot_check']:,}",
            date=self.date(rule["set_at"]),
        )
        flags = self.words["and"].join(
            f"{self.code(code)} {count:,}" for code, count in sorted(statement["dataset"]["flags"].items())
        )
        rows = [
            [say("acceptance_rule"), text],
            [say("dataset_sha"), in_lines(statement["dataset"]["sha256"], 64)],
            [say("flags"), flags or say("none")],
            *([say("seed", name=plain(k)), _seed(v)] for k, v in sorted(statement["seeds"].items())),
            *self.log_head(),
            *self.afterwards(),
            [say("software"), plain(statement["software_version"])],
            [say("schema"), str(statement["schema_version"])],
            [say("public_key"), self.certificate["signature"]["public_key"]],
            [say("signature"), in_lines(self.certificate["signature"]["value"], 64)],
        ]
        return table(say("record"), [], (1, 3.3), rows)

    def log_head(self) -> list[list[str]]:
        """The last event before this certificate; schema 1 knows none."""
        head = self.statement.get("event_log")
        if head is None:
            return []
        said = self.say("event_log_text", sequence=f"{head['sequence']:,}")
        return [[self.say("event_log"), said + "\n" + in_lines(head["hash"], 64)]]

    def afterwards(self) -> list[list[str]]:
        """Time stamp and second signature: not part of what was signed."""
        rows = []
        if moment := self.added.get("timestamp"):
            rows.append([self.say("stamped"), self.date(moment)])
        if second := self.added.get("countersignature"):
            name = f"{plain(second['signer'])}{self.wrap(plain(second['algorithm']))}"
            rows.append([self.say("countersigned"), name + "\n" + in_lines(second["signature"], 64)])
        return rows


def _seed(seed: str) -> str:
    """Numbers and sums so that they can be copied; anything else as any other text."""
    return in_lines(seed, 64) if seed.isascii() and seed.isalnum() else plain(seed)
