"""Whether a claim has no checkable content: only hedges and praise, no number, name or date. In doubt it has."""

import re

from audits.text.language import HAN, language_of
from audits.text.wordlists import FUNCTION_WORDS, words

_NO_CONTENT = FUNCTION_WORDS | {"not", "no"}
_VAGUE_EN = words(
    "good great bad better best worse nice fine excellent wonderful amazing impressive remarkable outstanding "
    "notable important crucial vital essential significant significantly valuable useful helpful beneficial "
    "interesting fascinating popular convenient suitable appropriate reasonable relevant positive negative "
    "strong unique special powerful complex complicated challenging difficult easy simple various several "
    "many numerous some few certain different multiple wide range variety diverse possible possibly perhaps "
    "maybe might may could can probably likely potentially potential generally usually often sometimes "
    "typically somewhat rather quite very really extremely highly fairly pretty relatively overall "
    "considerable substantial key major role impact influence effect effects aspects aspect factors factor "
    "ways way things thing cases case situations benefits advantages value importance attention consideration "
    "considered depend depends seem seems appear appears believed thought regarded widely well-known well "
    "known future further more most much lot lots kind sort help helps make makes play plays worth improve "
    "improves better success successful experience people one everyone anyone"
)
_SUBSTANCE_EN = 1  # content words beyond the lexicon that a vague claim may still have: "the product is good"
_VAGUE_ZH = re.compile(
    "非常|十分|特别|比较|相当|较为|很多|许多|众多|大量|多种|各种|一些|一定|某些|某种|有些|部分|可能|也许|或许|大概|"
    "通常|一般|往往|有时|似乎|看起来|据说|很|更加|更|最|极其|极为|良好|优秀|出色|卓越|突出|显著|明显|巨大|重要|关键|"
    "必要|不错|好|差|坏|有用|有益|有利|有帮助|帮助|有效|合理|合适|适合|方便|便捷|丰富|广泛|深远|积极|复杂|简单|独特|"
    "受欢迎|作用|影响|意义|价值|优势|好处|特点|因素|方面|情况|问题|需要|值得|关注|重视|注意|考虑|具有|存在|发挥|"
    "带来|产生|取决于|总体|整体|总的来说|综上|未来|前景|广阔|表现|效果|体验|提升|改善"
)
_FUNCTION_ZH = re.compile(
    "[的地得了着过是有在和与及或而也都还就这那此其该个种些之为对于从到会能可以将被把让使它他她们我你您]"
)
_SUBSTANCE_ZH = 3  # Han characters beyond the lexicon: "这个产品非常好"
_NAMED_ZH = re.compile(r"[《“「『A-Za-z0-9]|[一二三四五六七八九十百千万亿两][个年月日天次家人名项元倍成位条款章]")
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def is_vague(claim: str) -> bool:
    """True when nothing in the claim could be checked: hedges or judgements of value about next to nothing.

    Any digit, number word with a unit, date, quoted title or name makes a claim checkable. English and Chinese.
    """
    if any(char.isnumeric() and not _HAN.match(char) for char in claim):
        return False
    return _vague_chinese(claim) if language_of(claim) == "zh" else _vague_english(claim)


def _vague_english(claim: str) -> bool:
    words = _WORD.findall(claim)
    if not words or any(word[0].isupper() and word not in ("I", "I'm") for word in words[1:]):
        return False
    low = [word.lower() for word in words if word.lower() not in _NO_CONTENT]
    substance = sum(word not in _VAGUE_EN for word in low)
    return substance < len(low) and substance <= _SUBSTANCE_EN


def _vague_chinese(claim: str) -> bool:
    if _NAMED_ZH.search(claim):
        return False
    rest, found = _VAGUE_ZH.subn("", claim)
    substance = len(_HAN.findall(_FUNCTION_ZH.sub("", rest)))
    return found > 0 and substance <= _SUBSTANCE_ZH
