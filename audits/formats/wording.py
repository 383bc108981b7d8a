"""What the words of human labels mean: certain ones are proposed, the others a person is asked about."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

gettext_noop = str  # the name by which collectors of strings know what is to be translated

SUPPORTED = "SUPPORTED"
CONTRADICTED = "CONTRADICTED"
UNVERIFIED = "UNVERIFIED"
NOT_SUPPORTED = "NOT_SUPPORTED"  # contradicted or absent: the word does not say which
UNCERTAIN = "UNCERTAIN"  # the human could not decide
LABELS = (SUPPORTED, CONTRADICTED, UNVERIFIED, NOT_SUPPORTED, UNCERTAIN)
MISSING = ""  # the word says that there is no label
MAX_WORD = 200  # code points

# One meaning per word, wherever it stands. Words are separated by commas.
_CERTAIN = {
    SUPPORTED: """
        supported, support, supports, fully supported, is supported, entailment, entailed, entails, entail, faithful,
        grounded, fully grounded, attributable, fully attributable, consistent, no hallucination, not hallucinated,
        non hallucinated, non hallucination, hallucination free,
        有据, 支持, 完全支持, 得到支持, 被支持, 有依据, 有根据, 忠实, 忠于原文, 蕴含, 可推出, 与原文一致,
        与上下文一致, 无幻觉, 没有幻觉, 非幻觉, 未幻觉, 不存在幻觉
    """,
    CONTRADICTED: """
        contradicted, contradiction, contradictory, contradicts, contradict, contradicting, refuted, refutes, refute,
        conflict, conflicts, conflicting, evident conflict, subtle conflict, intrinsic, intrinsic hallucination,
        冲突, 矛盾, 有冲突, 有矛盾, 存在矛盾, 存在冲突, 相矛盾, 自相矛盾, 与原文矛盾, 与上下文矛盾, 与原文冲突,
        与上下文冲突, 相悖, 反驳, 内在幻觉
    """,
    UNVERIFIED: """
        unverified, unverifiable, not verifiable, cannot verify, cannot be verified, neutral, not mentioned,
        not enough info, not enough information, nei, no evidence, baseless, baseless info, evident baseless info,
        subtle baseless info, fabricated, fabrication, made up, not in context, not in the context,
        not found in context, extrinsic, extrinsic hallucination,
        无据, 无依据, 没有依据, 缺乏依据, 无根据, 没有根据, 无法验证, 无法核实, 无从验证, 未提及, 未提到,
        上下文未提及, 编造, 捏造, 杜撰, 无中生有, 中立, 外在幻觉
    """,
    UNCERTAIN: """
        uncertain, unsure, not sure, unclear, undecided, borderline, cannot decide, can't tell, cannot tell,
        不确定, 存疑, 拿不准, 难以判断, 难以确定, 说不清
    """,
    MISSING: """
        nan, null, n/a, na, #n/a, -, --, —, /, unlabeled, unlabelled, not labeled, not labelled, no label,
        not annotated, unannotated, todo, pending, tbd, skip, skipped,
        未标注, 待标注, 未标, 待标, 未评, 待评, 未判定, 待判定, 待定, 跳过, 空
    """,
}

_BOTH = gettext_noop(
    "It may mean that the context says otherwise, or that the context does not say it. "
    "If the file does not tell them apart, choose “not supported”."
)
_WORLD = gettext_noop(
    "It may be measured against the world or a reference answer. "
    "Here a label says whether the retrieved context supports the text."
)
_YES_NO = gettext_noop("It answers a question that the word does not tell: “is it supported?” or “is it made up?”.")
_PART = gettext_noop("A part is supported and a part is not; a label is given to the whole.")
_NUMBER = gettext_noop("A number: only the people who gave the labels know what it stands for.")
_TELL = gettext_noop("It may mean that the context does not say, or that the human could not decide.")
_NOTHING = gettext_noop("It may mean that nothing was found wrong, or that there is no label.")
_UNKNOWN = gettext_noop("The word is not known.")


class _Doubt(NamedTuple):
    reason: str
    offers: tuple[str, ...]  # the likeliest first
    words: str


_NEGATIVE = (NOT_SUPPORTED, CONTRADICTED, UNVERIFIED, UNCERTAIN, SUPPORTED)
_POSITIVE = (SUPPORTED, UNCERTAIN, NOT_SUPPORTED, CONTRADICTED, UNVERIFIED)
_DOUBTFUL = (
    _Doubt(
        _BOTH,
        _NEGATIVE,
        """
        not supported, unsupported, not support, no support, not fully supported, unfaithful, not faithful,
        inconsistent, not consistent, not entailed, not entailment, non entailment, ungrounded, not grounded,
        not attributable, hallucinated, hallucination, hallucinations, hallucinatory, is hallucinated,
        has hallucination, 不支持, 未支持, 没有支持, 不被支持, 得不到支持, 不忠实, 不一致, 与原文不一致,
        不符, 不符合, 与原文不符, 不蕴含,
        幻觉, 有幻觉, 存在幻觉, 是幻觉, 出现幻觉
        """,
    ),
    _Doubt(
        _WORLD,
        _POSITIVE,
        "correct, right, accurate, factual, fact, true fact, verified, 正确, 准确, 属实, 事实, 真实, 事实正确",
    ),
    _Doubt(
        _WORLD,
        _NEGATIVE,
        """
        incorrect, wrong, inaccurate, not factual, non factual, not correct, error, factual error,
        错误, 不正确, 不准确, 失实, 不属实, 有误, 事实错误, 虚假
        """,
    ),
    _Doubt(
        _YES_NO,
        _POSITIVE,
        "true, yes, y, t, pass, passed, ok, good, √, ✓, ✔, ✅, 是, 对, 真, 通过, 合格, 好, 达标",
    ),
    _Doubt(
        _YES_NO,
        _NEGATIVE,
        "false, no, n, f, fail, failed, bad, x, ×, ✗, ✘, ❌, 否, 错, 假, 不是, 不对, 不通过, 不合格, 差, 有, 不达标",
    ),
    _Doubt(
        _PART,
        (NOT_SUPPORTED, UNCERTAIN, SUPPORTED, CONTRADICTED, UNVERIFIED),
        """
        partial, partially, partly, partially supported, partly supported, partial support, mostly supported,
        partially correct, partially faithful, mixed, 部分支持, 部分有据, 部分正确, 部分忠实, 部分一致, 基本支持,
        部分幻觉, 部分
        """,
    ),
    _Doubt(_NOTHING, _POSITIVE, "none, nil, nothing, 无, 没有"),
    _Doubt(
        _TELL, (UNCERTAIN, UNVERIFIED, NOT_SUPPORTED, SUPPORTED, CONTRADICTED), "无法判断, 无法确定, inconclusive"
    ),
)
_NUMERIC = re.compile(r"[+-]?\d+(?:\.\d+)?%?")
_TRIMMED = " \t\n\u3000。.!！;；:：,，'\"“”‘’[]【】()（）"
_MADE_UP = re.compile(r"hallucinat|fabricat|made.?up|unfaithful|幻觉|编造|捏造|虚构|不实")
_FAITHFUL = re.compile(r"faithful|support|grounded|entail|attribut|忠实|支持|有据|依据|一致")
_SAYS_YES = frozenset({"1", "true", "yes", "y", "t", "√", "✓", "✔", "✅", "是", "对", "真", "有"})
_SAYS_NO = frozenset({"0", "false", "no", "n", "f", "x", "×", "✗", "✘", "❌", "否", "错", "假", "无", "不是"})


@lru_cache(maxsize=1024)
def folded(word: str) -> str:
    """A word as it is compared: without case, width, spaces around and between signs, quotation marks, full stops."""
    text = unicodedata.normalize("NFKC", word).casefold()
    bare = text.strip(_TRIMMED)
    return " ".join(re.sub(r"[_\s-]+", " ", bare).split()) or text.strip()


def _words(listed: str) -> list[str]:
    return [folded(word) for word in listed.split(",")]


_KNOWN = {word: label for label, listed in _CERTAIN.items() for word in _words(listed)}
_ASKED = {word: doubt for doubt in _DOUBTFUL for word in _words(doubt.words)}


def propose(words: Iterable[str]) -> dict[str, str | None]:
    """Word -> one of LABELS, "" where the word says that there is no label, None where a person must be asked.

    A word is certain when it can mean one thing only. 不支持 is not: the context may say otherwise, or not say it.
    """
    return {word: meaning(word) for word in words}


def meaning(word: str) -> str | None:
    """The label of a word that is certain, "" for a word that says there is none, None for any other."""
    return _KNOWN.get(folded(word), None if word.strip() else MISSING)


def reason(word: str) -> str:
    """Why a person is asked about a word, one English sentence or two; "" for a certain one."""
    if meaning(word) is not None:
        return ""
    doubt = _ASKED.get(folded(word))
    if doubt:
        return doubt.reason
    return _NUMBER if _NUMERIC.fullmatch(folded(word)) else _UNKNOWN


def offers(word: str, column: str = "") -> tuple[str, ...]:
    """LABELS in the order in which a page offers them for a word, the likeliest first. Nothing is chosen by it.

    column: the word's column, whose name may tell the question ("is_hallucination": 1) that the word answers.
    """
    certain = meaning(word)
    if certain:
        return (certain, *(label for label in LABELS if label != certain))
    plain = folded(word)
    asked = unicodedata.normalize("NFKC", column).casefold()
    if plain in _SAYS_YES | _SAYS_NO and (_MADE_UP.search(asked) or _FAITHFUL.search(asked)):
        good = bool(_MADE_UP.search(asked)) == (plain in _SAYS_NO)
        return _POSITIVE if good else _NEGATIVE
    doubt = _ASKED.get(plain)
    return doubt.offers if doubt else LABELS


class Meanings:
    """The words of a file with the labels that a person confirmed, and those that mean one thing only."""

    def __init__(self, words: object) -> None:
        """words: mapping["words"], {word: label}; a label that is none of LABELS means that there is no label."""
        given = words if isinstance(words, dict) else {}
        self._labels = {
            folded(str(word)): label if label in LABELS else MISSING
            for word, label in given.items()
            if label is not None
        }

    def label(self, word: str) -> str | None:
        """The label of a word, "" for none, None when a person has to say and has not.

        A word that was asked about means what was said; of others, as they come far down in a file, the certain ones
        mean what they always do.
        """
        return self._labels.get(known) if (known := folded(word)) in self._labels else _KNOWN.get(known)
