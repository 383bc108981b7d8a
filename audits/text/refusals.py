"""Whether a text declines to answer ("not found in the knowledge base"): no hallucination, and no success either."""

import re

from audits.text.sentences import split_sentences

_SOURCE = (
    r"(?:(?:the|your|our|my|this|these|any|provided|given|retrieved|available|supplied|above|current|internal|search|"
    r"company|of)\s+){0,5}(?:contexts?|documents?|documentation|passages?|texts?|excerpts?|knowledge\s?base|sources?|"
    r"materials?|search\ results?|results?|articles?|database|information|snippets?|evidence)"
)
_ABOUT = r"(?:(?:enough|sufficient|any|the|relevant|specific|explicit|direct|such|exact|necessary|required)\s+)*"
_ENGLISH = re.compile(
    rf"""\b(?:
    (?:not|nothing|cannot\ be|could\ not\ be|no\ answer|no\ \w+|no\ relevant\ \w+)\s(?:\w+\s){{0,2}}
        (?:found|available|mentioned|provided|contained|included|specified|stated|covered|present)
        \s(?:in|within|by|from)\s{_SOURCE}
    |(?:i|we)(?:\s(?:am|are)|['’](?:m|re))?(?:\s(?:really|currently|unfortunately))?\s
        (?:cannot|can\ not|can['’]t|could\ not|couldn['’]t|unable\ to|not\ able\ to|do\ not|don['’]t|did\ not
        |didn['’]t|was\ unable\ to|were\ unable\ to|am\ unable\ to|was\ not\ able\ to|wasn['’]t\ able\ to)\s(?:\w+\s)?
        (?:answer|find|locate|provide|determine|give|confirm|know|have\s{_ABOUT}(?:information|data|knowledge|access|
        details?|context|answer|evidence)|help\ with|assist|say|tell|respond|verify)
    |(?:there\ (?:is|was|are)|i\ (?:have|see|found)|i\ could\ find)\s(?:no|not\ enough|insufficient|nothing)
        \s(?:\w+\s){{0,3}}(?:information|data|mention|details?|answer|context|record)s?
        (?=\s(?:about|on|regarding|concerning|available|provided|found|given|in|that|to|of|for|here|related)\b|\W*$)
    |(?:no|insufficient|not\ enough)\s(?:\w+\s){{0,2}}(?:information|data|evidence|details|results?|answer|context)
        \s(?:\w+\s){{0,3}}(?:found|available|provided|to\ (?:answer|determine|say)|on\ this|about\ this)
    |{_SOURCE}\s(?:do|does|did)(?:\snot|n['’]t)\s(?:\w+ly\s)?
        (?:contain|provide|mention|include|specify|state|say|answer|give|cover|address|discuss|have|offer|indicate)
    |(?:question|it)\s(?:cannot|can\ not|can['’]t|could\ not)\sbe\s(?:answered|determined)
    |(?:unanswerable|i\ don['’]t\ know|not\ sure\ about\ that)
    )\b|^\W*(?:not\ (?:found|available|mentioned|provided)|no\ (?:answer|information|data|result)s?(?:\ found)?|n/a
    |unknown|idk)\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_HOLDER = (
    r"(?:上下文|文档|文件|资料|材料|知识库|数据库|检索结果|搜索结果|参考(?:内容|信息|证据)?|原文|文中|段落|"
    r"提供的\w{2,6}|给定的\w{2,6}|已知(?:信息|内容)|现有(?:信息|资料))"
)
_CHINESE = re.compile(
    rf"""(?:未|没有|没|未能|无法|不能|暂未|并未|未曾)(?:能)?(?:在{_HOLDER}\w{{0,3}})?(?:找到|检索到|查询到|查到|搜索到|搜到|发现)
        \w{{0,12}}(?:相关|信息|内容|答案|资料|文档)
    |^\W*(?:抱歉|对不起|很遗憾|我|系统)?\W*(?:未|没有|未能|暂未)(?:找到|检索到|查询到|查到)
    |{_HOLDER}\w{{0,4}}(?:中|里|内|均|都|也)?(?:并)?(?:没有|未|未能|不)(?:明确|直接|具体|详细)?
        (?:提及|提到|提供|包含|说明|给出|涉及|记载|找到|检索到|回答|指出|涵盖|足够|相关)
    |(?:无法|不能|难以|没办法|没法)(?:\w{{0,8}})?(?:回答|作答|解答|答复|给出(?:\w{{0,6}})?(?:答案|回答|结论)
        |提供(?:\w{{0,8}})?(?:答案|回答|信息|帮助|内容|建议))
    |(?:我|系统|本助手|目前|暂时)(?:\w{{0,4}})?(?:无法|不能|难以)(?:\w{{0,6}})?(?:确定|判断|确认|得知|获取|查询)
    |(?:我|本人|本助手)(?:也|并|还|目前)?不(?:知道|清楚|太清楚|了解|确定)
    |^\W*(?:不知道|不清楚|未知|无|暂无|未找到|没有找到|无法确定|无法判断)\W*$
    |(?:没有|暂无|缺乏|缺少|无)(?:足够的?|充分的?|任何|与此|与之|该问题的?)?(?:\w{{0,6}})?相关(?:的)?(?:信息|内容|资料|数据|文档|记录|结果|答案)
    |(?:信息|资料|证据|数据|内容|上下文)(?:\w{{0,4}})?(?:不足|不够|有限)(?:以|，)?(?:\w{{0,6}})?(?:无法|不能|回答|判断|确定|支持|作答)""",
    re.VERBOSE,
)
_CONTRAST = re.compile(
    r"[,;]?\s+(?:but|however|although|though|nevertheless|yet)\b,?\s*|[，；。](?:但是|但|不过|然而|只是|可是)，?",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|please|feel free|let me know|happy to|contact|consult|if you|"
    r"you (?:may|can|could|might)|i can|can help|hello|hi|thank)\b|抱歉|对不起|不好意思|遗憾|请(?!求)|建议|欢迎|"
    r"您可以|你可以|可以帮|如果您|如果你|如需|如有|咨询|谢谢|您好|你好|感谢",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether all that the text says is that it cannot answer (with courtesies and offers of help).

    Works on a sentence and on a whole answer. A text that also states something checkable ("no figure for 2023 was
    found, but revenue was 5 million in 2022") is no refusal. English and Chinese.
    """
    refused = False
    for sentence in split_sentences(text[:4000]):  # a longer text states something
        for part in _parts(sentence.text):
            if _refuses(part):
                refused = True
            elif not (_COURTESY.search(part) and not _states_number(part)):
                return False
    return refused and len(text) <= 4000


def _parts(sentence: str) -> list[str]:
    return [part for part in _CONTRAST.split(sentence) if any(char.isalnum() for char in part)]


def _refuses(part: str) -> bool:
    return bool(_ENGLISH.search(part) or _CHINESE.search(part))


def _states_number(part: str) -> bool:
    return any(char.isdigit() for char in part)
