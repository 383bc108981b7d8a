"""The sign of a statement: negations, and pairs of words that exclude each other. English and Chinese."""

import re
from itertools import islice

from audits.text.tokens import units

_CLAUSE_END = re.compile(r"[,;:.!?。，；：！？、()（）]")
_NEGATION_EN = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nobody|nothing|nowhere|without|cannot|fail(?:s|ed)? to|lacks?|lacked|"
    r"un(?:able|likely|available|known|changed)|non)\b|n['’]t\b",
    re.IGNORECASE | re.ASCII,
)
_NEGATION_ZH = re.compile(
    r"(?<![特分区个级类识派差辨])别(?=再|把|让|去|用)|[不未没無](?!仅|但|只|同|过|断|少|久|锈|良|动产|来)|"
    r"无(?!论|线|锡|疑|数|限|人机|形)|"
    r"(?<![是南北东西])非(?!常|洲|凡|遗|盈利|营利)|否(?!则)|禁止|拒绝|勿|缺乏|尚无|并无"
)
_PAIRS_EN = (
    "increas,rose,rise,grew,grow,gain,higher,up,climb,soar/decreas,fell,fall,declin,drop,lower,reduc,down,shrank,plung",
    "before,prior/after,following",
    "first,earliest/last,latest,final",
    "more,most,greater/less,fewer,least",
    "largest,biggest,highest,longest,oldest/smallest,lowest,shortest,youngest",
    "maximum,ceiling/minimum,floor",
    "male,man,men,boy,husband,father,brother,son/female,woman,women,girl,wife,mother,sister,daughter",
    "win,won,beat,victory/lose,lost,defeat",
    "profit,surplus/loss,deficit",
    "allow,permit,legal,lawful/prohibit,forbid,forbidden,ban,banned,illegal,unlawful",
    "accept,approv/reject,refus,denied,deny",
    "support,favor,favour/oppos,against",
    "mandatory,compulsory,required/optional,voluntary",
    "public/private",
    "domestic/foreign",
    "import/export",
    "buyer,buy,bought,purchas/seller,sell,sold",
    "north,northern/south,southern",
    "east,eastern/west,western",
    "alive,living,surviv/dead,died,deceased",
    "open,opened/closed,close",
    "positive/negative",
    "true/false",
    "safe/dangerous,unsafe",
    "effective/ineffective",
    "all,every,always/none,never",
    "short-term/long-term",
    "include,including/exclud",
    "outperform,better/underperform,worse",
    "cause/prevent",
)
_PAIRS_ZH = (
    "增长,上升,增加,提高,上涨,升高,扩大,涨幅/下降,减少,降低,下跌,下滑,缩小,跌幅,回落",
    "之前,以前/之后,以后",
    "首次,第一个,最早/最后,最晚",
    "最大,最高,最长,最多,最强/最小,最低,最短,最少,最弱",
    "高于,超过,大于,多于,不低于/低于,不足,小于,少于,不超过",
    "至少,不少于/至多,最多",
    "男性,男子,男人,丈夫,父亲,儿子/女性,女子,女人,妻子,母亲,女儿",
    "盈利,净利润/亏损,净亏损",
    "允许,可以,合法/禁止,不得,违法",
    "同意,批准,通过/反对,拒绝,驳回,否决",
    "支持/反对",
    "应当,必须/可以",
    "进口/出口",
    "买方,购买,买入/卖方,出售,卖出",
    "国内/国外,境外",
    "公开/非公开,保密",
    "成功/失败",
    "活着,生还/死亡,去世,遇难",
    "有效/无效",
    "增值/贬值",
    "甲方/乙方",
    "借款人/贷款人",
    "正确/错误",
    "开始,启动/结束,终止",
    "生效/失效",
    "左侧,左/右侧,右",
    "早于/晚于",
    "全部,所有/部分",
    "胜,战胜,获胜/负,落败,输给",
)


def _forms(line: str) -> re.Pattern[str]:
    stems = line.split(",")
    if stems[0].isascii():
        return re.compile(rf"\b(?:{'|'.join(stems)})(?:e?s|e?d|ing|e)?\b", re.IGNORECASE | re.ASCII)
    return re.compile("|".join(stems))


_PAIRS = tuple(
    (_forms(left), _forms(right)) for left, right in (line.split("/") for line in (*_PAIRS_EN, *_PAIRS_ZH))
)


def negations(text: str) -> int:
    """How many negations a text holds, English and Chinese ones together."""
    return len(_NEGATION_EN.findall(text)) + len(_NEGATION_ZH.findall(text))


def negated(text: str) -> frozenset[str]:
    """The content units that stand right after a negation, in a text that went through `normalise`."""
    found: set[str] = set()
    for pattern, reach, count in ((_NEGATION_EN, 40, 2), (_NEGATION_ZH, 5, 3)):
        for match in pattern.finditer(text):
            rest = text[match.end() : match.end() + reach]
            stop = _CLAUSE_END.search(rest)
            rest = rest[: stop.start()] if stop else rest
            found.update(unit.key for unit in islice(units(rest), count))
    return frozenset(found)


def opposites(left: str, right: str) -> tuple[str, str] | None:
    """A word of `left` and the word of `right` that excludes it, when neither text holds both; else None."""
    for one, other in _PAIRS:
        for here, there in ((one, other), (other, one)):
            in_left = here.search(left)
            if not in_left:
                continue
            in_right = there.search(right)
            if in_right and not there.search(left) and not here.search(right):
                return in_left[0], in_right[0]
    return None
