"""What the names of columns give away."""

import json

import pytest

from audits.formats import check_mapping, guess_mapping
from audits.formats.roles import CORE, known_roles


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("id question contexts answer", "id question contexts answer"),
        ("user_input retrieved_contexts response reference", "- user_input retrieved_contexts response"),
        (
            "input actual_output expected_output retrieval_context context name",
            "- input retrieval_context actual_output",
        ),
        ("Question ANSWER Context ground_truth", "- Question Context ANSWER"),
        ("question answer ground_truths reference_contexts", "- question - answer"),
        ("question ground_truth reference expected_output", "- question - -"),
        ("编号 问题 参考证据 回答", "编号 问题 参考证据 回答"),
        ("序号 用户问题 检索内容 答案", "序号 用户问题 检索内容 答案"),
        ("问题 标准答案 模型回答 上下文", "- 问题 上下文 模型回答"),
        ("问题（必填） 回答（必填） 证据", "- 问题（必填） 证据 回答（必填）"),
        ("query output documents qid", "qid query documents output"),
        ("Retrieved-Contexts userInput Response", "- userInput Retrieved-Contexts Response"),
        ("a b c", "- - - -"),
    ],
)
def test_names_are_known(columns, expected):
    mapping = guess_mapping(columns.split())
    found = [mapping[role] or "-" for role in ("id", "question", "contexts", "answer")]
    assert found == expected.split()


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("question answer contexts reference", {"reference": "reference"}),
        ("question answer contexts ground_truths model", {"reference": "ground_truths", "generator": "model"}),
        ("input actual_output expected_output retrieval_context", {"reference": "expected_output"}),
        ("问题 参考答案 回答 上下文 模型", {"reference": "参考答案", "generator": "模型"}),
        ("query response docs createdAt", {"timestamp": "createdAt"}),
        ("问题 回答 证据 时间 标签", {"timestamp": "时间", "tags": "标签"}),
        ("question answer context Category human_label", {"tags": "Category", "label": "human_label"}),
        ("问题 回答 证据 分类 人工标注", {"tags": "分类", "label": "人工标注"}),
        ("question answer context is_hallucination", {"label": "is_hallucination"}),
        ("question answer context claims", {"claims": "claims"}),
        (
            "question answer context claims claim_labels label",
            {"claims": "claims", "claim_label": "claim_labels", "label": "label"},
        ),
        ("question answer context claim label", {"claims": "claim", "claim_label": "label"}),
        ("编号 问题 回答 证据 原子命题 判定结果", {"claims": "原子命题", "claim_label": "判定结果"}),
        (
            "q.question a.answer r.contexts metadata.model metadata.tags metadata.label",
            {"generator": "metadata.model", "tags": "metadata.tags"},
        ),
        ("question answer contexts reference_contexts faithfulness verdict score", {}),
    ],
)  # fmt: skip
def test_names_of_what_a_file_may_have(columns, found):
    mapping = guess_mapping(columns.split())
    assert {role: column for role, column in mapping.items() if role not in CORE} == found
    assert set(found.values()).isdisjoint(mapping[role] for role in CORE)
    check_mapping(mapping, columns.split())


def test_headers_are_told_from_rows_by_what_every_file_needs():
    assert known_roles(["编号", "问题", "证据", "回答", "模型", "标签"]) == 4
    assert known_roles(["模型", "标签", "参考答案"]) == 0


@pytest.mark.parametrize(
    ("columns", "contexts"),
    [
        (["question", "context_2", "context_1", "answer"], ["context_1", "context_2"]),
        (["检索片段1", "检索片段2", "检索片段10"], ["检索片段1", "检索片段2", "检索片段10"]),
        (["上下文二", "上下文一"], ["上下文一", "上下文二"]),
        (["context", "context 2"], ["context", "context 2"]),
        (["context_1", "answer"], "context_1"),
        (["doc[1]", "doc[0]", "answer[x]"], ["doc[0]", "doc[1]"]),
        (["contexts.1", "contexts.0"], ["contexts.0", "contexts.1"]),
        (
            ["contexts/0/content", "contexts/0/score", "contexts/1/content", "contexts/1/score"],
            ["contexts/0/content", "contexts/1/content"],
        ),
        (["context_1_text", "context_1_score", "context_2_text"], ["context_1_text", "context_2_text"]),
        (["top_1_chunk", "top_2_chunk"], ["top_1_chunk", "top_2_chunk"]),
        (["第2个片段", "第1个片段"], ["第1个片段", "第2个片段"]),
        (["Top1召回", "Top2召回"], ["Top1召回", "Top2召回"]),
        (["召回内容/Top1", "召回内容/Top2"], ["召回内容/Top1", "召回内容/Top2"]),
        (["片段①", "片段②"], ["片段①", "片段②"]),
        (["检索片段1（相似度最高）", "检索片段2"], ["检索片段1（相似度最高）", "检索片段2"]),
        (["Context B", "Context A"], ["Context A", "Context B"]),
        ([f"ctx{number}" for number in (10, 2, 1)], ["ctx1", "ctx2", "ctx10"]),
        (["召回", "召回率"], None),
        (["question", "answer", "Top1"], None),
    ],
)
def test_numbered_contexts_belong_together(columns, contexts):
    assert guess_mapping(columns)["contexts"] == contexts
    assert json.loads(json.dumps(guess_mapping(columns)))["contexts"] == contexts


@pytest.mark.parametrize(
    ("columns", "contexts"),
    [
        (("編號", "問題", "檢索內容", "回答", "標準答案"), "檢索內容"),
        (("編號", "使用者問題", "參考文件", "系統回覆", "參考答案"), "參考文件"),
        (("番号", "質問", "コンテキスト", "回答", "正解"), "コンテキスト"),
    ],
)
def test_traditional_chinese_and_japanese_names(columns: tuple[str, ...], contexts: str) -> None:
    found = guess_mapping(columns)
    names = [found.get(role) for role in ("id", "question", "contexts", "answer", "reference")]
    assert names == [columns[0], columns[1], contexts, columns[3], columns[4]]


def test_levels_of_a_header_are_one_name_and_the_last_of_them_tells() -> None:
    columns = ("编号", "问题", "检索结果/片段1", "检索结果/片段2", "检索结果/相似度", "回答")
    found = guess_mapping(columns)
    assert found["contexts"] == ["检索结果/片段1", "检索结果/片段2"] and found["answer"] == "回答"
