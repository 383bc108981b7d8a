"""Another number, date or place in a claim, one that the contexts have nowhere."""

import re
from collections.abc import Iterator, Sequence

from audits.text.planting.stating import Figures, is_there
from audits.text.polarity import negations

LIMIT = re.compile(
    r"\b(?:at least|at most|more|less|fewer|over|under|up to|above|below|exceed\w*|minimum|maximum|within|between|"
    r"from|range\w*|since|before|after|until|till|by|later|earlier|or|only|just|not|no|first|last|least|most|"
    r"as \w+ as|except|unless|if|any|every|to (?=\d))\b|"
    r"至少|至多|最多|最少|最高|最低|最长|最短|最快|最慢|最早|最晚|最大|最小|超过|满|不足|低于|高于|大于|小于|多于|少于|以上|以下|以内|以前|以后|之前|之后|之内|起|截至|\d[^，。]{0,4}[后前内]|"
    r"不|未|没|无|或|至|到|[~～]|之间|如果|除|仅|只|每",
    re.IGNORECASE,
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9.,:/\-–_#])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?![A-Za-z0-9:/\-–_]|[.,]\d|\s?(?:am|pm|a\.m|p\.m|o'clock)\b)"
)
_MONTH_NAME = rf"(?:{'|'.join(_MONTHS)})"
_DAY_BEFORE, _DAY_AFTER = re.compile(rf"\s{_MONTH_NAME}\b"), re.compile(rf"\b{_MONTH_NAME}\s$")
_YEAR_BEFORE = re.compile(rf"\b(?:[Ii]n|of|year|during|for|FY|{_MONTH_NAME}(?: \d{{1,2}})?,?)\s$")
_OF_SOME = re.compile(r"\b(?:an?|any) [\w-]+(?: [\w-]+)? of\s$", re.IGNORECASE)
_CASE = re.compile(
    r"^\s*(?:and |but )?(?:with|when|whenever|if|once|where)\b|\b(?:means?|triggers?|leads?|causes?|entitles?)\b|"
    r"[的时者]$|触发|导致|即[为可应]|则|就",
    re.IGNORECASE,
)
_CUT = re.compile(r"[，；。]|[,;] ")
# Places of one kind that exclude each other: (English, Chinese).
_CITIES = (
    ("Lisbon", "里斯本"), ("Oslo", "奥斯陆"), ("Lima", "利马"), ("Nairobi", "内罗毕"), ("Warsaw", "华沙"),
    ("Lyon", "里昂"), ("Paris", "巴黎"), ("London", "伦敦"), ("Berlin", "柏林"), ("Munich", "慕尼黑"),
    ("Frankfurt", "法兰克福"), ("Vienna", "维也纳"), ("Zurich", "苏黎世"), ("Madrid", "马德里"), ("Rome", "罗马"),
    ("Tokyo", "东京"), ("Seoul", "首尔"), ("Singapore", "新加坡"), ("Beijing", "北京"), ("Shanghai", "上海"),
    ("Guangzhou", "广州"), ("Shenzhen", "深圳"), ("Chengdu", "成都"), ("Wuhan", "武汉"), ("Hangzhou", "杭州"),
    ("Nanjing", "南京"), ("Chicago", "芝加哥"), ("Boston", "波士顿"), ("Toronto", "多伦多"), ("Sydney", "悉尼"),
)  # fmt: skip
_COUNTRIES = (
    ("Portugal", "葡萄牙"), ("Norway", "挪威"), ("Peru", "秘鲁"), ("Kenya", "肯尼亚"), ("Poland", "波兰"),
    ("France", "法国"), ("Germany", "德国"), ("Italy", "意大利"), ("Spain", "西班牙"), ("Japan", "日本"),
    ("Canada", "加拿大"), ("Australia", "澳大利亚"), ("Brazil", "巴西"), ("India", "印度"), ("Sweden", "瑞典"),
)  # fmt: skip
PLACES = (_CITIES, _COUNTRIES)


def swapped(claim: str, contexts: Sequence[str], chinese: bool) -> tuple[str, str]:
    """(variant, rule): the first number that can be changed, else a month, else a place. ("", "") where none can."""
    if negations(claim):
        return "", ""
    there = Figures(contexts)
    for variant, rule in (*_numbers(claim, there), *_months(claim, contexts, there)):
        return variant, rule
    return next(((variant, "name") for variant in _places(claim, contexts, chinese)), ("", ""))


def _numbers(claim: str, there: Figures) -> Iterator[tuple[str, str]]:
    for match in _NUMBER.finditer(claim):
        number = match["number"]
        if not there.has(number) or _is_limit(claim, match):
            continue
        before, after = claim[: match.start()], claim[match.end() :]
        for other, rule in _others(number, before, after):
            variant = before + other + after
            if not there.has(other) and there.lacks_new(variant, claim):
                yield variant, rule
                break


def _is_limit(claim: str, match: re.Match[str]) -> bool:
    """Whether another number may hold as well: "a fall of 15 % ends trading", 逾期15天的，合同终止."""
    clause = _clause(claim, match.start())
    threshold = _OF_SOME.search(claim[: match.start()]) or _CASE.search(clause)
    return bool(LIMIT.search(clause) or threshold)


def _clause(claim: str, at: int) -> str:
    """The part of the claim between commas in which a place lies: a limit in another part is no limit of it."""
    start = max((cut.end() for cut in _CUT.finditer(claim, 0, at)), default=0)
    end = _CUT.search(claim, at)
    return claim[start : end.start() if end else len(claim)]


def _others(number: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """Numbers that could stand in the same place, far enough away that no rounding joins them."""
    value, unit = float(number.replace(",", "")), after.lstrip()[:1]
    whole = "." not in number
    if _is_year(number, before, after):
        yield from ((str(int(value) - step), "date") for step in (7, 11, 16, 23))
    elif whole and (
        unit == "月"
        or (unit in ("日", "号") and before.endswith("月"))
        or _DAY_BEFORE.match(after)
        or _DAY_AFTER.search(before)
    ):
        most = 12 if unit == "月" else 28
        if value <= most:
            yield from ((str((int(value) + step - 1) % most + 1), "date") for step in (4, 7, 9, 5))
    elif unit in ("点", "时", "分", "秒") or value == 1:
        return
    elif (unit in ("%", "％") or after.lstrip().lower().startswith(("percent", "per cent"))) and 45 < value <= 100:
        yield from ((_written(value * share, number), "number") for share in (0.5, 0.4, 0.3))
    else:
        yield from ((_written(value * by + plus, number), "number") for by, plus in ((2, 3), (3, 4), (4, 7)))


def _is_year(number: str, before: str, after: str) -> bool:
    if not re.fullmatch(r"1[5-9]\d\d|20\d\d", number):
        return False
    return after.startswith("年") or bool(_YEAR_BEFORE.search(before) or re.match(r"[.,;)]|$", after))


def _written(value: float, like: str) -> str:
    """With as many decimals as `like`, and its thousands commas."""
    decimals = len(like.partition(".")[2])
    return f"{value:,.{decimals}f}" if "," in like else f"{value:.{decimals}f}"


def _months(claim: str, contexts: Sequence[str], there: Figures) -> Iterator[tuple[str, str]]:
    for match in _MONTH.finditer(claim):
        at = _MONTHS.index(match[0])
        if not is_there([match[0]], contexts) or (match[0] == "May" and not match.start()):
            continue
        if LIMIT.search(_clause(claim, match.start())):
            continue
        for step in (5, 7, 4):
            other = (at + step) % 12
            if not is_there([_MONTHS[other], _MONTHS[other][:3]], contexts) and not _numbered(other + 1, there):
                yield claim[: match.start()] + _MONTHS[other] + claim[match.end() :], "date"
                break


def _numbered(month: int, there: Figures) -> bool:
    return there.has(str(month)) or f"{month:02}" in there.written


def _places(claim: str, contexts: Sequence[str], chinese: bool) -> Iterator[str]:
    if LIMIT.search(claim):
        return
    for kind in PLACES:
        for names in kind:
            match = _name(names, chinese).search(claim)
            if match is None or not is_there([match[0]], contexts):
                continue
            for others in kind:
                if not is_there(others, [*contexts, claim]):
                    yield claim[: match.start()] + others[chinese] + claim[match.end() :]
                    break


def _name(names: tuple[str, str], chinese: bool) -> re.Pattern[str]:
    """The name by itself, no part of a longer one: "Paris Hilton", "New London"."""
    if chinese:
        return re.compile(re.escape(names[1]))
    return re.compile(rf"(?<![A-Z][\w'’.-] )(?<!\w)(?<![A-Z]\w\w )(?<!-){re.escape(names[0])}(?![\w-]| [A-Z]|'|’)")
