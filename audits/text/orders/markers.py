"""Imitations of what parts a request: chat templates' tokens, and our own markers and headings."""

from audits.text.orders.rule import rule

MARKERS = (
    rule("template", "<|,|>", r"<\|\w[\w▁ ]{0,38}\w\|>"),
    rule(
        "template",
        "inst],sys>>,_of_turn>,system_prompt>",
        r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|</?system_prompt>",
    ),
    rule("template", "</s>", r"</s>\s{0,3}(?:<s>|\[)"),
    rule("template", "###", r"###\s?(?:instruction|human|assistant|system|指令)\s?[:：]", before=r"(?:^|\n)\s{0,4}"),
    rule(
        "delimiter",
        "<<<<,>>>>",
        r"(?:<{4,6}|>{4,6})",
        before=r"^|[^<>]",
        after=r"[ \t]{0,3}(?:[0-9a-f]{8,}\b|(?:end|begin|claims|contexts|question|sentences)\b"
        r"|(?:数据|证据|命题|上下文)?结束)",
    ),
    rule(
        "delimiter",
        "##",
        r"##\s?(?:claims|contexts|sentences|question|nearby)\s?[(（]",
        after=r"to be checked|the only evidence|the answer, one|sentences of the same|待核对|参考证据|问题|回答"
        r"|同一回答",
    ),
    rule(
        "delimiter",
        "end of,结束",
        r"(?:[-=*\[<#]{2,}|【)\s?(?:end of (?:the )?(?:contexts?|evidence|claims|passages)"
        r"|(?:数据|证据|上下文|命题|参考资料)(?:到此|至此|部分)?结束)",
    ),
)
