"""The printed certificate: what stands on it, in both languages, whatever the names contain."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audits.stats.audited import Stratum
from review import document
from review.document import codes, coverage, render_pdf, words
from review.document.content import content
from review.document.phrases import Phrases
from review.document.text import address, bare, breakable, percent, plain, short_percent
from review.signature import envelope, file_bytes, verify_file
from review.statement import LIMITS, SCOPE_LIMITS, EvidenceFact, OverrideFact, build, estimate_fact
from tests.review.certificates import MOMENT, D, S, U, facts

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
URL = "https://assay.example.com/verify/A-2026-0042"
HOSTILE = '#panic("x") $x$ *b* <script>alert(1)</script> =cmd() \u202eevil\u202c `code` @ref // \x00 ' + "W" * 400


def certificate(**changes):
    return envelope(build(facts(**changes)), KEY)


def strings(value):
    """Every string of a nested structure."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def printed(language="en", revoked=None, **changes):
    return content(certificate(**changes), language, URL, revoked)


def text_of(pdf, tmp_path):
    (tmp_path / "certificate.pdf").write_bytes(pdf)
    command = ["pdftotext", "-layout", "certificate.pdf", "-"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler")


def test_both_languages_hold_the_same_words():
    assert words.EN.keys() == words.ZH.keys()
    assert codes.EN.keys() == codes.ZH.keys()
    for code in (*LIMITS, *SCOPE_LIMITS.values()):
        assert code in words.EN
    for key, text in words.EN.items():
        fields = {part.split("}")[0] for part in text.split("{")[1:]}
        assert fields == {part.split("}")[0] for part in words.ZH[key].split("{")[1:]}, key


def test_the_title_font_has_every_character_of_the_words():
    held = (Path(document.__file__).parent / "fonts" / "title-characters.txt").read_text(encoding="utf-8")
    missing = {c for table in (words.EN, words.ZH) for text in table.values() for c in text} - set(held)
    assert not missing, "make the title font again: review/document/fonts/README.md"


def test_pass_in_english():
    page = printed()
    assert page["decision"] == ["Decision", "PASS"]
    rate, limit, threshold, claims = page["figures"]
    assert (rate[0], rate[1]) == ("Hallucination rate", "3.24\u00a0%")
    assert (limit[0], limit[1], limit[2]) == ("At most", "4.70\u00a0%", "95\u00a0% confidence")
    assert threshold == ["Threshold", "5\u00a0%", "set 2026-10-30"]
    assert claims == ["Claims", "5,000", "of 1,000 answers"]
    assert "is at most 4.70\u00a0%. This does not exceed the threshold of 5\u00a0%" in page["sentences"][0]
    assert "checked 340 of 4,600 claims" in page["sentences"][1]
    assert "wrong on 6; they settled 400 of 400" in page["sentences"][1]
    assert page["reasons"] == []
    assert page["marks"] == page["notes"] == []
    assert page["counts"]["rows"][0] == ["SUPPORTED", "4,500", "90.00\u00a0%", "4,856", "97.12\u00a0%"]


def test_pass_in_chinese():
    page = printed("zh")
    assert page["decision"] == ["结论", "合格"]
    assert page["figures"][0][1] == "3.24%"
    assert "幻觉率不超过 4.70%，未超出首个专家标签之前设定的阈值 5%。" in page["sentences"][0]
    assert page["tables"][0]["rows"][0][0] == "法官 1"


def test_the_printed_limit_is_never_on_the_better_side():
    # the upper limit 4.6972 % may become 4.70, never 4.69; a lower limit goes down
    assert bare(percent(0.046912, "ROUND_CEILING")) == "4.70"
    assert bare(percent(0.046999, "ROUND_FLOOR")) == "4.69"


def test_a_share_of_nearly_all_is_not_printed_as_all():
    assert percent(49_999 / 50_000) == "99.9980\u00a0%"
    assert percent(1.0) == "100.00\u00a0%" and percent(0.9999) == "99.99\u00a0%"


def test_a_share_that_is_known_has_no_interval():
    """A third of three claims that were all seen: 33.33 %, not 33.33 to 33.34 for the rounding of the statement."""
    share = Stratum("contradicted", 3, 3, 1).estimate()
    phrases = Phrases(certificate(), "en")
    assert phrases.estimate(estimate_fact(share)) == "33.33\u00a0%"
    assert "to" in phrases.estimate(estimate_fact(Stratum("contradicted", 30, 3, 1).estimate()))


def test_fail_names_the_lower_limit():
    page = printed(threshold=0.02, scope="dataset")
    assert page["decision"][1] == "FAIL"
    assert page["figures"][1][0] == "At least"
    assert (
        "the rate in this dataset is at least 2.84\u00a0%. This is above the threshold of 2\u00a0%"
        in page["sentences"][0]
    )
    assert page["limits"][1][-1] == words.EN["this_dataset_only"]


def test_insufficient_says_why_right_under_the_sentence():
    strata = {"supported": (S, 90, 30, 0), "unverified": (U, 5, 0, 0), "disputed": (D, 10, 4, 1)}
    page = printed("zh", strata=strata, answers=50)
    assert page["decision"][1] == "证据不足"
    assert page["sentences"][-1].endswith("：")
    assert page["reasons"] == ["仍有争议命题未结"]
    assert "尚有 6 个命题未结" in page["counts"]["note"]
    spot_check = page["annexes"][0]["rows"]
    assert spot_check[1][-1] == "无定义（尚无专家复核）"


def test_nothing_audited_prints_no_number():
    page = printed(strata={}, answers=0, agreement=())
    assert page["decision"][1] == "INSUFFICIENT EVIDENCE"
    assert page["figures"][0] == ["Hallucination rate", "–", "undefined"]
    assert page["sentences"] == ["No hallucination rate can be stated."]
    assert page["reasons"] == ["the audit has no claims"]


def test_few_answers_have_a_rate_without_limits():
    strata = {"supported": (S, 90, 30, 0), "disputed": (D, 10, 10, 1)}
    page = printed(strata=strata, answers=12)
    assert page["figures"][0][1:] == ["1.00\u00a0%", "fewer than 30 answers say nothing about traffic"]
    assert page["figures"][1][1] == "–"


def test_specimen_and_revocation_are_marked():
    page = printed(specimen=True, revoked="Dataset exchanged")
    assert page["marks"] == ["REVOKED / 已撤销", "SPECIMEN / 样张 · 不作验收依据"]
    assert "Dataset exchanged" in page["notes"][0]
    assert printed(revoked="")["notes"] == ["This certificate has been revoked. Reason: not stated"]


def test_names_become_plain_breakable_text():
    assert plain("a\u202eb\x00c\nd\u200be") == "a b c d e"
    assert plain("x" * 400).replace("\u200b", "") == "x" * 159 + "…"
    assert max(map(len, breakable("W" * 100).split("\u200b"))) <= 12
    assert plain("很长的名称" * 3) == "很长的名称" * 3
    assert short_percent(0.00125) == "0.125\u00a0%"
    assert percent(0.000012) == "0.0012\u00a0%"
    assert percent(0.0) == "0.00\u00a0%"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_input_gives_the_same_bytes(language):
    given = certificate()
    pdf = render_pdf(given, language, URL)
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) < 300_000
    assert b"<pdfaid:part>3</pdfaid:part>" in pdf and b"<pdfaid:conformance>B</pdfaid:conformance>" in pdf
    assert render_pdf(given, language, URL) == pdf
    assert render_pdf(given, language, URL + "x") != pdf


def test_other_languages_are_refused():
    with pytest.raises(ValueError, match="language"):
        render_pdf(certificate(), "fr", URL)


@needs_poppler
@pytest.mark.parametrize(
    ("language", "title"), [("en", "Certificate of Hallucination Audit"), ("zh", "幻觉率审计证书")]
)
def test_one_page_and_an_annex(language, title, tmp_path):
    pages = text_of(render_pdf(certificate(), language, URL), tmp_path).split("\f")
    assert len(pages) == 4  # pdftotext ends the last page with a form feed
    assert title in pages[0]
    assert "北门鉴证" in pages[0]  # 鉴 lies outside the first level of GB2312
    assert "王喆" in "".join(pages[1:])  # and 喆 outside of GB2312
    assert "56475aa75463474c" in pages[0]  # the key id


@needs_poppler
def test_the_attached_file_verifies(tmp_path):
    given = certificate()
    (tmp_path / "certificate.pdf").write_bytes(render_pdf(given, "en", URL))
    subprocess.run(["pdfdetach", "-saveall", "certificate.pdf"], cwd=tmp_path, check=True, capture_output=True)
    data = (tmp_path / "certificate.json").read_bytes()
    assert data == file_bytes(given)
    assert verify_file(data, {given["signature"]["key_id"]: KEY.public_key()}).valid


@needs_poppler
@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_names_are_only_text(language, tmp_path):
    given = certificate(
        number=HOSTILE,
        issuer=HOSTILE,
        project=HOSTILE,
        system=HOSTILE,
        traffic=HOSTILE,
        specimen=True,
        software_version=HOSTILE,
        overrides=[OverrideFact(HOSTILE, HOSTILE * 3, HOSTILE, MOMENT)],
        seeds={HOSTILE: HOSTILE},
    )
    pdf = render_pdf(given, language, URL + "?" + "x" * 300, revoked=HOSTILE)
    text = text_of(pdf, tmp_path)
    assert '#panic("x") $x$ *b* <script>' in text.replace("\u200b", "")
    assert not any(character in text for character in "\u202e\u202c\x00")
    assert b"/JavaScript" not in pdf


@needs_poppler
def test_judges_and_experts_with_hostile_names_stay_inside_the_page(tmp_path):
    found = facts()
    given = replace(
        found,
        judges=[replace(judge, model="m" * 300, answered_by=["n" * 300] * 5) for judge in found.judges],
        reviewers=[replace(reviewer, name="审" * 300) for reviewer in found.reviewers],
    )
    text_of(render_pdf(envelope(build(given), KEY), "en", URL), tmp_path)
    command = ["pdftotext", "-bbox", "certificate.pdf", "-"]
    boxes = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    rights = [float(line.split('xMax="')[1].split('"')[0]) for line in boxes.splitlines() if "<word" in line]
    assert max(rights) < 595  # points: the width of A4


def test_what_people_copy_holds_nothing_invisible():
    given = certificate()
    page = content(given, "en", URL, None)
    (_, key), (_, sha256), (_, url) = page["seal"]
    assert key == given["signature"]["key_id"]
    assert sha256.replace("\n", "") == given["sha256"]
    assert given["signature"]["value"] in [row[1].replace("\n", "") for row in page["annexes"][-1]["rows"]]
    assert url.replace("\n", "") == URL
    assert address("https://a.example/" + "x" * 50) == "https://a.example/\n" + "x" * 38 + "\n" + "x" * 12


def backwards(value):
    """The same JSON with the names of every object in the opposite order, as another database may give them back."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_order_of_names_in_storage_changes_nothing(language):
    given = certificate()
    assert content(backwards(given), language, URL, None) == content(given, language, URL, None)


def test_without_a_check_no_rate_is_said_to_be_the_experts():
    strata = {"supported": (S, 90, 0, 0), "disputed": (D, 10, 10, 0)}
    page = printed(strata=strata, answers=60, scope="dataset")
    assert page["decision"][1] == "INSUFFICIENT EVIDENCE"
    assert page["figures"][0][1:] == ["–", "undefined"]
    assert page["sentences"][1].startswith("No hallucination rate can be stated. Whether the rate exceeds")
    assert page["reasons"][0] == "no expert checked the claims on which the judges agreed"
    assert "Mean rate per answer, of answers with claims: – (" in page["counts"]["note"]
    assert annex_of(page, "Limits")["rows"][0][1].startswith("– (0.00 to 90.00")
    assert not [text for text in strings(page) if "by the experts’ word" in text]


def test_a_rule_that_nobody_in_particular_set_aside_has_a_date_alone():
    page = printed(overrides=[OverrideFact("generator_vendor", "Approved.", "", MOMENT)])
    assert annex_of(page, "Rules set aside")["rows"][0][1] == "2026-11-30"


def test_a_superseded_certificate_says_so_on_paper():
    page = content(certificate(), "zh", URL, None, successor="A-2026-0043")
    assert page["marks"] == ["SUPERSEDED / 已被取代"] and page["notes"] == ["本证书已被 A-2026-0043 取代。"]
    page = content(certificate(), "en", URL, "A slip.", successor="A-2026-0043")
    assert page["marks"] == ["REVOKED / 已撤销"], "revoked is the graver word"


def annex_of(page, title):
    """The table of the annex with this title, None without one."""
    return next((table for table in page["annexes"] if table["title"] == title), None)


def test_marked_evidence_stands_in_the_annex():
    table = annex_of(printed(), "Evidence marked by experts")
    assert table["rows"][0] == ["The fee is 2 %.", "CONTRADICTED", "The fee is 1 percent.", "q-17 (context 1)"]
    assert "not listed" not in table["note"]
    table = annex_of(printed("zh", evidence_total=1234), "专家标出的证据")
    assert table["rows"][1] == ["分行于1950年开业。", "有据 SUPPORTED", "开业于1950年□", "q-18（上下文 3）"]
    assert "共 1,234 处，另有 1,232 处未列出" in table["note"]


def test_a_certificate_of_schema_1_still_verifies_and_is_printed(tmp_path):
    statement = build(facts(background={})) | {"schema_version": 1}
    del statement["evidence"], statement["event_log"], statement["draws"]
    del statement["dataset"]["period"], statement["dataset"]["drawn"]
    for model in (*statement["judges"], statement["extractor"]):
        del model["family"], model["refused"]
    given = envelope(statement, KEY)
    assert annex_of(content(given, "en", URL, None), "Evidence marked by experts") is None
    assert verify_file(file_bytes(given), {given["signature"]["key_id"]: KEY.public_key()}).valid
    assert render_pdf(given, "zh", URL).startswith(b"%PDF-")


@needs_poppler
def test_fifty_long_hostile_passages_stay_inside_the_page(tmp_path):
    one = EvidenceFact(HOSTILE, HOSTILE, HOSTILE, 3, 0, 300, "审" * 150 + "W" * 150)
    text_of(render_pdf(certificate(evidence=[one] * 50, evidence_total=99), "zh", URL), tmp_path)
    command = ["pdftotext", "-bbox", "certificate.pdf", "-"]
    boxes = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    rights = [float(line.split('xMax="')[1].split('"')[0]) for line in boxes.splitlines() if "<word" in line]
    assert max(rights) < 595  # points: the width of A4


def test_unknown_codes_are_printed_as_they_are():
    found = facts()
    taken = replace(found.acceptance, decision="INSUFFICIENT", reasons=("something_new",))
    page = content(envelope(build(replace(found, acceptance=taken)), KEY), "zh", URL, None)
    assert [reason.replace("\u200b", "") for reason in page["reasons"]] == ["something_new"]
    assert all(isinstance(text, str) for text in strings(page))


def test_figures_beside_the_rate_and_how_it_was_made_are_printed_in_both_languages():
    page = printed()
    assert (
        "Mean rate per answer, of answers with claims: 3.24\u00a0% (1.98 to 5.20), n = 1,000."
        in page["counts"]["note"]
    )
    assert annex_of(page, "Further figures")["rows"][4][2:] == ["1,097", "7.29\u00a0% (5.89 to 8.99)"]
    made = dict(annex_of(page, "How it was made")["rows"])
    assert made["Period of the traffic"] == "2026-10-01 to 2026-10-31"
    assert "35 were passed over" in made["Claim extraction"]
    assert "Looks taken 1 of 1" in made["Review"] and "(10\u00a0% asked for; 3 second" in made["Review"]
    assert made["Options that a model refused"].replace("\u200b", "") == "deepseek:deepseek-chat (temperature)"
    assert annex_of(page, "Calibration of the judges")["rows"][2][:2] == ["panel", "400 claims"]
    page = printed("zh")
    assert page["subject"][0] == ["委托方", "Example Bank · 示例银行"]
    assert "chance" not in dict(annex_of(page, "审计过程")["rows"])["计划"]


def test_claims_that_nobody_could_decide_are_told_with_what_they_count_as():
    given = certificate()
    assert "no expert could decide" not in content(given, "en", URL, None)["annexes"][0]["note"]
    given["statement"]["spot_check"][0]["given_up"] = 3
    note = content(given, "en", URL, None)["annexes"][0]["note"]
    assert "Claims that no expert could decide, 3, count as hallucinated for upper limits" in note


def test_what_came_after_the_signature_is_printed_apart():
    second = {"signer": "Notary 公证处", "algorithm": "ECDSA", "signature": "AbC/" * 20}
    page = content(certificate(), "en", URL, None, {"timestamp": "2026-11-30T09:16:02Z", "countersignature": second})
    record = dict(annex_of(page, "Record")["rows"])
    assert record["Time stamp (RFC 3161)"] == "2026-11-30 09:16:02 UTC"
    assert record["Second signature"].startswith("Notary 公证处 (ECDSA)\nAbC/AbC/")


def test_a_character_that_the_font_lacks_is_a_box():
    assert plain("a😀喆ع") == "a□喆□"
    assert coverage.characters() > {ord(c) for c in "aÀ€审喆镕□"}


@needs_poppler
@pytest.mark.parametrize("language", ["en", "zh"])
def test_long_names_and_notes_leave_the_first_page_one_page(language, tmp_path):
    name = {
        "en": "Northern Retail Credit and Household Lending " * 4,
        "zh": "北方零售信贷与家庭贷款智能问答平台" * 9,
    }[language]
    found = facts(issuer=name, project=name, system=name, traffic=name, specimen=True)
    found = replace(
        found,
        dataset=replace(found.dataset, name=name),
        background={**found.background, "client": name},
        judges=[replace(judge, model=name, answered_by=[name, name]) for judge in found.judges],
    )
    pages = text_of(render_pdf(envelope(build(found), KEY), language, URL, revoked=name), tmp_path).split("\f")
    assert words.WORDS[language]["seal"] in pages[0] and "56475aa75463474c" in pages[0]
    assert words.WORDS[language]["annex"].format(number="A-2026-0042 / 1") in pages[1]
