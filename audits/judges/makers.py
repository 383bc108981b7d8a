"""The table of model families: how the models of each maker are called. Read by families.py, shown in the admin.

`words` count at the beginning of any word of a name, so that the maker is seen behind a gateway
(openrouter/anthropic/claude-x), a region (us.anthropic.claude-x) and a quantised copy (unsloth/gemma-x-GGUF).
`starts` are words that mean something else elsewhere ("step", "nova"): they count only where the name proper begins.
`makers` are companies, asked only when no model is recognised. All are regular expressions in lower case.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """One family of models that share their data, and so their errors."""

    name: str
    words: str = ""
    starts: str = ""
    makers: str = ""


FAMILIES = (
    Family(
        "openai",
        words=r"gpt(?!q|-?j\b|-?neo|-?\d*all)|chatgpt|codex-|(?:text-)?davinci",
        starts=r"o[1-9](?![a-z0-9.])|codex",
        makers="openai",
    ),
    Family("anthropic", words="claude", makers="anthropic"),
    Family(
        "google",
        words=r"(?:code|med|shield|pali|data|embedding)?gemma|gemini|learnlm|palm-?2|(?:text|chat)-bison|flan-|t5-",
        starts=r"bard(?![a-z])|palm(?![a-z])",
        makers="google|谷歌",
    ),
    Family(
        "meta", words=r"(?:code|tiny|open|meta)?llama|vicuna|alpaca-|guanaco|wizardlm-?(?!2)", makers="meta|facebook"
    ),
    Family(
        "mistral",
        words=r"(?:open-?)?mistral|mixtral|ministral|codestral|magistral|devstral|mathstral|pixtral|voxtral|zephyr-"
        r"|openhermes|wizardlm-?2",
        makers="mistralai",
    ),
    Family("xai", words=r"grok(?![a-z])", makers="xai|x-ai"),
    Family("cohere", words=r"c4ai-|command-[rax]|aya-", starts=r"command(?![a-z])", makers="cohere"),
    Family("microsoft", words=r"phi-?\d|phi-(?:mini|small|silica)|mai-ds|orca-?2", makers="microsoft"),
    Family(
        "amazon",
        words=r"amazon\.(?:nova|titan)|titan-(?:text|tg\d)",
        starts=r"(?:amazon-)?nova-(?:micro|lite|pro|premier|sonic|\d)",
        makers="amazon",
    ),
    Family("nvidia", words=r"(?:open)?nemotron|minitron|nvlm", makers="nvidia"),
    Family("ibm", words="granite", makers="ibm"),
    Family("ai21", words=r"jamba|jurassic|j2-(?:ultra|mid|light)", makers="ai21(?:labs)?"),
    Family("databricks", words=r"dbrx|dolly-v\d|mpt-\d", makers="mosaicml"),
    Family("snowflake", words="snowflake-arctic", starts=r"arctic(?![a-z])"),
    Family("tii", words="falcon", makers="tiiuae"),
    Family("allenai", words="olmo|tulu-|molmo", makers="allenai"),
    Family("eleutherai", words=r"gpt-?j\b|gpt-?neo|pythia-\d", makers="eleutherai"),
    Family("huggingface", words="smollm|smolvlm|idefics", makers="huggingfacetb"),
    Family("bigscience", words=r"bloomz?(?![a-z])", makers="bigscience"),
    Family("stability", words="stablelm|stable-(?:lm|code|beluga)", makers="stabilityai"),
    Family("liquid", words=r"lfm-?\d", makers="liquidai"),
    Family("reka", words="reka-", starts=r"reka(?![a-z])", makers="rekaai"),
    Family("perplexity", words="pplx-", starts=r"sonar(?![a-z])", makers="perplexity"),
    Family("writer", words="palmyra"),
    Family("inflection", words=r"inflection-\d"),
    Family("upstage", words=r"solar-(?:pro|mini|\d)", starts=r"solar(?![a-z])", makers="upstage"),
    Family("lg", words="exaone", makers="lgai"),
    Family("naver", words="hyperclova"),
    Family("kakao", words="kanana"),
    Family("aleph-alpha", words="luminous-|pharia"),
    Family("swiss-ai", words="apertus"),
    Family("sber", words="gigachat"),
    Family("yandex", words="yandexgpt"),
    Family("sarvam", words="sarvam"),
    Family("mbzuai", words="k2-think|jais-", makers="mbzuai"),
    Family("apple", words="openelm", makers="apple"),
    # Chinese makers, whose models also go by Chinese names.
    Family("deepseek", words="deep-?seek|深度求索|r1-1776", makers="deepseek-ai"),
    Family("qwen", words="(?:code)?qwen|qwq|qvq|tongyi|marco-o1|通义|千问", makers="alibaba|aliyun|阿里"),
    Family(
        "bytedance",
        words=r"doubao|seed-(?:oss|coder|thinking)|skylark|豆包|云雀",
        starts=r"seed-?\d|bytedance-seed",
        makers="bytedance|字节",
    ),
    Family("tencent", words="hunyuan|混元", starts=r"hy-?\d", makers="tencent|腾讯"),
    Family("baidu", words="ernie|文心", makers="baidu|百度"),
    Family("zhipu", words="(?:chat|code|auto)?glm|cogvlm|智谱|清言", makers="zhipu(?:ai)?|z-ai|zai-org|thudm"),
    Family("moonshot", words="kimi|moonshot|moonlight-|月之暗面"),
    Family("minimax", words=r"minimax|abab-?\d"),
    Family(
        "01ai",
        words=r"yi-(?:\d|large|medium|lightning|vision|coder|chat|vl)|零一万物",
        starts=r"yi(?![a-z])",
        makers="01-ai",
    ),
    Family("baichuan", words="baichuan|百川"),
    Family("internlm", words=r"internlm|internvl|intern-s\d|书生"),
    Family("stepfun", words="阶跃", starts=r"step-?(?:\d|r\d|audio)", makers="stepfun"),
    Family(
        "iflytek",
        words=r"iflytek|xinghuo|星火|讯飞|sparkdesk",
        starts=r"spark(?![a-z])|generalv\d|4\.0ultra",
    ),
    Family("huawei", words="(?:open)?pangu|盘古", makers="huawei|华为"),
    Family("sensetime", words="sensechat|sensenova|日日新", makers="sensetime|商汤"),
    Family("kunlun", words="skywork|tiangong|天工", makers="kunlun"),
    Family("360", words="360gpt|360zhinao|zhinao|智脑"),
    Family("modelbest", words="minicpm|cpm-bee|面壁", makers="openbmb"),
    Family("xiaomi", words=r"mimo(?![a-z])", makers="xiaomi|小米"),
    Family("meituan", words="longcat", makers="meituan|美团"),
    Family(
        "ant", words="bailing|百灵", starts=r"(?:ling|ring)-(?:lite|plus|mini|flash|\d)", makers="inclusionai|蚂蚁"
    ),
    Family("xiaohongshu", words=r"dots\.llm", makers="rednote"),
    Family("kuaishou", words="kat-(?:coder|dev)|kwaicoder|keye", makers="kwai|kuaishou|快手"),
    Family("baai", words="aquila|wudao|悟道", makers="baai|智源"),
    Family("xverse", words="xverse|元象"),
    Family("orionstar", words="orionstar", starts=r"orion-\d"),
    Family("china-telecom", words="telechat|星辰"),
    Family("china-mobile", words="jiutian|九天"),
    Family("inspur", words=r"yuan-?\d", makers="ieityuan"),
    Family("vivo", words="bluelm|蓝心"),
    Family("casia", words="taichu|太初"),
)
