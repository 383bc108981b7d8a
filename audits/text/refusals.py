"""Whether a text declines to answer ("not found in the knowledge base"): no hallucination, and no success either."""

import re

from audits.text.sentences import split_sentences

LONGEST = 4000  # characters; a longer text states something

# A word that means what the system was given to read, and one that means it only when it is said so.
_GIVEN = (
    r"(?:the|your|our|my|this|these|those|any|provided|given|retrieved|available|supplied|above|current|internal|of)"
)
_READ = (
    rf"(?:(?:{_GIVEN}|company|course|search|contract|knowledge)\s+){{0,5}}(?:contexts?|documents?|documentation|docs|"
    r"passages?|texts?|excerpts?|knowledge\s?base|kb|sources?|materials?|search\s+results?|articles?|snippets?)"
)
_LOOSE = r"(?:results?|database|information|evidence|data|records?|paragraphs?)"
_TOLD = rf"(?:{_GIVEN}\s+){{0,3}}(?:provided|given|retrieved|available|supplied|above)\s+{_LOOSE}"
_SOURCE = rf"(?:{_READ}|{_TOLD})"
_SOURCE += (
    r"(?:\s+(?:provided|given|above|available|i\s+have|you\s+(?:have\s+)?provided|"
    r"(?:that\s+)?(?:i|we)\s+(?:was|were|have\s+been)\s+(?:given|provided|shown)(?:\s+with)?))?"
)
_FACTS = r"(?:information|data|details?|mention|answers?|context|anything|knowledge|entry|entries|evidence)"
_WHICH = (
    r"(?:(?:enough|sufficient|any|the|that|this|such|a|an|relevant|specific|explicit|direct|exact|necessary|required|"
    r"additional|further|detailed|real-time|up-to-date|personal|clear)\s+)*"
)
_THERE = (
    r"(?:found|available|mentioned|provided|contained|included|specified|stated|covered|present|given|described|"
    r"discussed|addressed|listed|disclosed|explained|answered|indicated|detailed|part\s+of)"
)
_CANNOT = (
    r"(?:cannot|can\s+not|can['’]t|could\s+not|couldn['’]t|(?:am\s+|are\s+|was\s+|were\s+|['’]m\s+|['’]re\s+)?"
    r"(?:unable|not\s+able)\s+to|(?:won['’]t|will\s+not)\s+be\s+able\s+to|do\s+not|don['’]t|did\s+not|didn['’]t|"
    r"wasn['’]t\s+able\s+to)"
)
_ASKED = r"(?:\s+(?:this|that|it|the\s+question|your\s+question))?"
_ENGLISH = re.compile(
    rf"""\b(?:
    # what was read lacks it
    (?:not|nothing|cannot\ be|could\ not\ be|no\ \w+|no\ relevant\ \w+)\s+(?:\w+\s+){{0,2}}{_THERE}\s+
        (?:in|within|by|from)\s+{_SOURCE}
    |not\s+(?:(?:directly|explicitly|specifically|currently|yet|anywhere)\s+)?(?:in|within)\s+{_SOURCE}
    |(?:is|are|was|were|does|do)n['’]t\s+(?:\w+\s+)?(?:appear\s+to\s+be\s+)?{_THERE}\s+(?:in|within|by|from)\s+{_SOURCE}
    |{_SOURCE}\s+(?:do|does|did)(?:\s+not|n['’]t)\s+(?:\w+ly\s+)?(?:contain|provide|mention|include|specify|state|say|
        answer|give|cover|address|discuss|have|offer|indicate|list|explain|describe|disclose|define|clarify)
    |{_SOURCE}\s+(?:has|have|contains?|provides?|includes?|gives?|offers?)\s+no\s+(?:\w+\s+)?{_FACTS}
    |{_LOOSE}\s+(?:do|does|did)(?:\s+not|n['’]t)\s+(?:contain|provide|include|give|offer|have)\s+{_WHICH}{_FACTS}\s+
        (?:about|on|regarding|concerning|for|that)
    |(?:none\s+of|neither(?:\s+of)?|no)\s+{_SOURCE}\s+(?:mentions?|contains?|provides?|specif(?:y|ies)|states?|says?|
        answers?|includes?|discuss(?:es)?|addresse?s?)
    |there\s+(?:is|was|are|were)\s+(?:(?:no|nothing|insufficient)\s+|not\s+(?:enough|any|sufficient)\s+)(?:\w+\s+){{0,3}}
        (?:{_FACTS}|records?)s?(?=\s+(?:about|on|regarding|concerning|available|provided|found|given|that|of|for|here|
        related|in\s+{_SOURCE}|to\s+(?:answer|determine|say|tell|confirm|respond|provide))\b|\W*$)
    |there\s+(?:is|was|are)n['’]t\s+(?:enough|any|sufficient)\s+(?:\w+\s+){{0,2}}{_FACTS}
    |(?:no|insufficient|not\s+enough)\s+(?:\w+\s+){{0,2}}(?:information|data|evidence|details|results?|answer|context)
        \s+(?:\w+\s+){{0,3}}(?:found|available|provided|to\s+(?:answer|determine|say)|on\s+this|about\s+this)
    |no\s+(?:(?:good|relevant|suitable|matching|exact)\s+)?(?:match(?:es)?|answers?|documents?|passages?|articles?)\s+
        (?:(?:was|were|is|are|could\s+be|can\s+be)\s+)?(?:found|possible|retrieved)
    |(?:information|context|{_READ})\s+(?:\w+\s+)?(?:is|are)\s+(?:insufficient|not\s+(?:sufficient|enough))\s+(?:to|for)\s+
        (?:answer|determin|tell|say|respond)
    # whoever answers cannot
    |(?:i|we)(?:\s+(?:really|currently|unfortunately|simply|just))?(?:\s+|(?=['’])){_CANNOT}\s+(?:\w+\s+)?
        (?:answer|find|locate|determine|know|assist|say|tell|respond|verify|comment|
        help\s+(?:with|you\s+with)|confirm\s+(?:whether|that|this|if|it)|have\s+{_WHICH}(?:{_FACTS}|access|opinions?)|
        (?:provide|give|share|offer)\s+(?:\w+\s+){{0,4}}(?:{_FACTS}|advice|opinions?|recommendations?|guidance|it|this|
        that))
    |(?:i|we)\s+(?:have|see|found|could\s+find)\s+(?:no|nothing|not\s+enough|insufficient)\s+(?:\w+\s+){{0,2}}
        (?:{_FACTS}|idea)
    |(?:i|we)\s+(?:must|have\s+to|need\s+to)\s+(?:respectfully\s+)?decline
    |(?:question|it)\s+(?:cannot|can\s+not|can['’]t|could\s+not)\s+be\s+(?:answered|determined)
    |(?:it\s+is|it['’]s)\s+(?:not\s+possible|impossible)\s+to\s+(?:answer|determine|say|tell|know)
    |(?:outside|beyond|out\s+of)\s+(?:the\s+)?(?:scope|range|limits?)\s+of\s+(?:my|our|{_SOURCE})
    |(?:outside|beyond)\s+(?:of\s+)?(?:my|our)\s+(?:\w+\s+)?(?:scope|knowledge|capabilit(?:y|ies)|expertise)
    |unanswerable|not\s+sure\s+about\s+that
    )\b
    # nothing else is said
    |^\W*(?:(?:hmm|well|sorry|so)\W+)*(?:
    (?:i\s+am\s+|i['’]m\s+)?not\s+(?:quite\s+|really\s+|entirely\s+)?sure(?:\s+(?:about|what|how|whether|if|which|who|when|
        where|why)\b.*)?
    |not\s+(?:found|available|mentioned|provided|stated|specified|known|given)|(?:i\s+have\s+)?no\s+idea|n/a|unknown|idk
    |(?:no|insufficient|not\s+enough)\s+(?:relevant\s+)?(?:answer|information|data|result|context|match)(?:e?s)?(?:\s+found)?
    |(?:{_CANNOT}|cannot\s+be)\s+(?:answer(?:ed)?|say|tell|determined?){_ASKED}
    )(?:\W+sorry)?\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_HOLDER = (
    r"(?:上下文|文档|文件|资料|材料|知识库|数据库|检索结果|搜索结果|参考(?:内容|信息|证据)?|原文|文中|文章|段落|文本|"
    r"提供的\w{2,6}|给定的\w{2,6}|(?:已知|已有|现有|目前的?|当前的?|上述)(?:信息|内容|资料|材料))"
)
_FACTS_ZH = r"(?:信息|内容|资料|数据|文档|记录|结果|答案|说明|描述|记载|介绍|条款)"
_SORRY_ZH = r"(?:抱歉|对不起|不好意思|遗憾)[，,！!。\s]*"
_BASIS_ZH = (
    r"(?:根据|依据|基于|按照|从|仅凭|凭|就)[^，。]{0,20}?"
    r"(?:信息|资料|材料|文档|文件|内容|上下文|段落|文本|知识库|证据|记录|结果)(?:中|里|来看|看)?[，,]?"
)
_ME_ZH = r"(?:我们?|本人|本助手|助手|机器人|模型)"
_SPEAKER_ZH = rf"(?:{_SORRY_ZH}|{_BASIS_ZH}|{_ME_ZH}|{_HOLDER}(?:中|里|内)?)(?:也|还|并|均|都|暂时?|目前|现在|确实)*"
_OPENING_ZH = rf"(?:^\W*|[，,：:；;]\s*|{_SPEAKER_ZH}|(?:目前|暂时|因此|所以)(?:还|也|暂)?)"
_NOT_ZH = r"(?:未能|未曾|暂未|并未|尚未|没有|无法|不能|未|没)"
_FIND_ZH = r"(?:找到|检索到|查询到|查到|搜索到|搜到|查阅到)"
_STANDING_ZH = r"(?!\w{0,12}的(?:[，,]|\w{1,8}(?:需|应|须|不得|可|将|必须|视为|要)))"  # no relative clause of a rule
_CHINESE = re.compile(
    rf"""{_NOT_ZH}能?(?:在{_HOLDER}\w{{0,3}})?(?:{_FIND_ZH}|发现)\w{{0,12}}{_FACTS_ZH}(?!的)
    |{_NOT_ZH}在{_HOLDER}\w{{0,3}}(?:{_FIND_ZH}|看到|发现)
    |^\W*(?:{_SORRY_ZH}|{_ME_ZH}|系统)?\W*(?:目前|暂时)?{_NOT_ZH}{_FIND_ZH}{_STANDING_ZH}
    |{_HOLDER}\w{{0,4}}?(?:中|里|内|均|都|也)?(?:并|暂时?|均|都)?(?:没有|未|未能|不|没)(?:有|明确|直接|具体|详细|专门)*
        (?:提及|提到|提供|包含|说明|给出|涉及|记载|{_FIND_ZH}|回答|指出|涵盖|足够|相关|收录|介绍|解释|披露|写明)(?!的|过的)
    |{_HOLDER}\w{{0,4}}?(?:中|里|内)?(?:并|也)?(?:没有|没|未)说(?:\W|$)
    |{_HOLDER}\w{{0,4}}?(?:中|里|内)?(?:并|也)?(?:没有|无|缺乏|缺少|没)(?:任何|足够的?)?(?:关于|有关|涉及|针对|与)\w{{0,30}}
        (?:{_FACTS_ZH}|部分)(?!的)
    |{_HOLDER}(?:中|里)?\w{{0,4}}不足以(?:回答|作答|判断|确定|支持|得出)
    |{_OPENING_ZH}(?:没有|暂无|并无|无|缺乏|缺少|暂时?没有)(?:足够的?|充分的?|任何|与此|与之|该问题的?)?\w{{0,6}}?
        (?:相关的?|明确的?|确切的?){_FACTS_ZH}(?!的)
    |{_OPENING_ZH}(?:无法|不能|难以|没办法|没法|不便)(?:\w{{0,8}}?)(?:回答|作答|解答|答复|给出(?:\w{{0,8}})?(?:答案|回答|结论|
        评价|解释|建议)|提供(?:\w{{0,10}})?(?:答案|回答|信息|帮助|内容|建议|意见|服务))(?!的)
    |{_SPEAKER_ZH}(?:无法|不能|难以|没办法|没法)(?:\w{{0,6}}?)(?:确定|判断|确认|得知|知道|获知|得出|推断|协助|处理|讨论|
        进行\w{{0,6}}(?:比较|评价|判断|分析|确认)|(?:获取|访问|查询)\w{{0,6}}(?:数据|信息|内容|资料))(?!的|时)
    |{_ME_ZH}帮不了
    |(?:^\W*|[，,；;]\s*|{_SORRY_ZH}|{_BASIS_ZH}|(?:这个|那个|这|那|对此)){_ME_ZH}(?:也|并|还|目前|真的?)?不(?:太|是很|大)?
        (?:知道|清楚|了解|确定|懂)
    |{_SORRY_ZH}不(?:太|是很)?(?:知道|清楚|了解|确定)
    |(?:信息|资料|内容|上下文|材料)\w{{0,4}}(?:不足|不够|有限)(?:以|，|,)?\w{{0,6}}(?:回答|判断|确定|支持|作答|得出)
    |超出了?(?:我们?|本助手|知识库|模型|系统|{_HOLDER})的?\w{{0,4}}范围
    |(?:^\W*|{_SORRY_ZH}|{_HOLDER}\w{{0,4}})(?:暂时?|目前)?(?:暂?未|没有|没)收录(?!的)
    |^\W*(?:我|我们|目前|暂时)?(?:真的)?(?:不知道|不清楚|不了解|不详|不(?:太)?确定|未知|无|暂无|无数据|暂无(?:明确)?(?:数据|信息)|
        未找到|没有?找到|没有?查到|未查到|没有结果|无法确定|无法判断|无法得知|无法回答|查无此\w{{1,3}}|查无结果)\w?\W*$""",
    re.VERBOSE,
)
_TRADITIONAL = str.maketrans(
    "無沒並個題資該檢尋訊檔問確說內關據庫對請們發現詢業數記錄結檢從條給進處斷義夠應將為與過經還處務員",
    "无没并个题资该检寻讯档问确说内关据库对请们发现询业数记录结检从条给进处断义够应将为与过经还处务员",
)
_CONTRAST = re.compile(
    r"[,;]?\s+(?:but|however|although|though|nevertheless|yet)\b,?\s*|[，；。](?:但是|但|不过|然而|只是|可是)，?",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\W*(?:if|unless)\b|\W*(?:如果|如(?!上|下)|若|凡|一旦|倘若)", re.IGNORECASE
)  # a rule for a case
_COURTESY = re.compile(
    r"\b(?:(?:may|might|can|will) be able to (?:help|assist)|"
    r"sorry|apologi[sz]e|unfortunately|please|feel free|let me know|happy to|contact|consult|if you|"
    r"you (?:may|can|could|might)|i can|can help|hello|hi|thank)\b|抱歉|对不起|不好意思|遗憾|请(?!求)|建议|欢迎|"
    r"您可以|你可以|可以帮|如果您|如果你|如需|如有|咨询|谢谢|您好|你好|感谢|[?？]\W*$",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether all that the text says is that it cannot answer (with courtesies and offers of help).

    Works on a sentence and on a whole answer. A text that also states something checkable ("no figure for 2023 was
    found, but revenue was 5 million in 2022") is no refusal. English and Chinese, simplified and traditional.
    """
    if len(text) > LONGEST:
        return False
    refused = False
    for sentence in split_sentences(text.translate(_TRADITIONAL)):
        for part in _parts(sentence.text):
            if _refuses(part):
                refused = True
            elif not (_COURTESY.search(part) and not _states_number(part)):
                return False
    return refused


def _parts(sentence: str) -> list[str]:
    return [part for part in _CONTRAST.split(sentence) if any(char.isalnum() for char in part)]


def _refuses(part: str) -> bool:
    return not _CONDITION.match(part) and bool(_ENGLISH.search(part) or _CHINESE.search(part))


def _states_number(part: str) -> bool:
    return any(char.isdigit() for char in part)
