"""What the names of columns give away: which is the question, the answer, the contexts, a human label."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from audits.formats.families import NUMBERED_ONLY, families

MAX_COLUMNS = 256
MAX_NAME = 200  # code points of a column's name; longer ones are data, or an attack on the patterns below
NEEDED = ("question", "contexts", "answer")
CORE = ("id", *NEEDED)
ROLES = (*CORE, "reference", "generator", "timestamp", "tags", "label", "claims", "claim_label")

# The earlier name wins. Reference answers and gold contexts are no aliases of answer and contexts: they are not what
# the system said and retrieved. A verdict or score is none of a human label: a judge may have given it.
_ALIASES = {
    "contexts": """
        retrieved_contexts retrieval_context retrieved_context retrieval_contexts contexts retrieved_documents
        retrieved_docs retrieved_passages retrieved_chunks retrieved_texts retrieved retriever_resources
        source_documents context documents document docs doc passages passage chunks chunk snippets snippet
        search_results evidence evidences sources knowledge background
        ctxs ctx retrieved_nodes source_nodes doc_references quote_list citations agent_documents refs
        检索片段 检索上下文 检索内容 检索结果 检索文档 检索到的内容 召回内容 召回片段 召回结果 召回文档
        参考证据 参考上下文 上下文 证据 参考资料 参考文档 参考内容 参考片段 引用内容 引用片段 引用
        知识片段 知识库内容 知识库片段 文档内容 文档 片段 背景资料 背景 参考文件 引用文件
        检索到的片段 检索到的文档 检索结果列表 命中片段 命中内容 引用列表 引用分段 分段信息 分段内容 切片内容 切片
        参考知识
        コンテキスト 検索結果 参照文書 参考文書 関連文書 文脈 根拠
    """,
    "question": """
        question user_question query user_query user_input prompt input instruction questions
        query_str query_text question_text input_text prompt_text problem_text user_message customer_question request
        问题 用户问题 使用者问题 提问 用户提问 用户输入 问句 查询 题目 输入 问 提问内容 问题内容 客户问题 咨询问题
        質問 質問文 問い合わせ クエリ 入力
    """,
    "answer": """
        answer response actual_output model_answer generated_answer rag_answer llm_answer system_answer bot_answer
        ai_answer assistant_answer predicted_answer model_response model_output rag_response llm_response completion
        generated_text generation prediction output reply result
        answer_text response_text response_str output_text predicted_answers generated_answers final_answer
        generated_response agent_answer agent_response assistant_response bot_response ai_response chatbot_response
        回答 模型回答 系统回答 机器人回答 ai回答 助手回答 生成回答 答复 系统答复 回复 模型回复 系统回复 机器人回复
        应答
        模型输出 输出 答案 生成答案 模型答案 系统答案 答 回答内容 回复内容 ai回复 大模型回答 客服回复 生成结果
        回答文 応答 出力 生成回答文
    """,
    "id": """
        id external_id sample_id question_id query_id record_id row_id example_id item_id case_id uid uuid qid
        trace_id run_id message_id key no index number
        编号 序号 样本编号 问题编号 样本id 问题id 题号 记录编号 主键 行号 番号 質問番号
    """,
    "reference": """
        reference reference_answer ground_truth ground_truths ground_truth_answer ground_truth_answers expected_output
        expected_answer expected_response expected golden_answer golden_answers gold_answer gold_answers gold golden
        standard_answer correct_answer ideal_answer ideal target_answer target reference_output reference_response
        gt gt_answer
        参考答案 标准答案 参考回答 标准回答 正确答案 期望答案 期望回答 期望输出 预期答案 预期回答 预期输出 理想答案
        标答 黄金答案 真实答案 正解 模範解答 期待する回答
    """,
    "generator": """
        generator generator_model model_name model model_id llm llm_model llm_name engine model_version
        生成模型 被测模型 模型名称 模型名 模型 大模型 模型版本
    """,
    "timestamp": """
        timestamp created_at create_time created created_time creation_time createdate created_date datetime
        date_time start_time time date answered_at asked_at request_time
        时间戳 时间 创建时间 生成时间 回答时间 提问时间 日期 问答时间 对话时间
    """,
    "tags": """
        tags tag category categories topic topics keywords domain
        标签 分类 类别 主题 类目 业务分类 问题分类 问题类型 领域
    """,
    "claims": """
        claims atomic_claims atomic_facts claim_list facts statements claim atomic_claim claim_text atomic_fact
        statement fact
        原子命题 命题 命题列表 命题内容 事实点 原子事实 事实 断言 陈述
    """,
    "claim_label": """
        claim_label claim_labels claim_verdict claim_verdicts claim_annotation claim_annotations fact_label
        fact_labels statement_label statement_labels
        命题标签 命题标注 命题判定 命题结果 命题结论 原子命题标注 原子命题标签 原子命题判定 事实点标注 事实点判定
    """,
    "label": """
        human_label human_labels gold_label manual_label expert_label annotator_label human_annotation human_verdict
        response_label answer_label hallucination_label faithfulness_label groundedness_label label labels annotation
        annotations annotation_result is_hallucination is_hallucinated has_hallucination hallucination hallucinated
        is_faithful faithful is_supported supported is_grounded grounded
        人工标注 人工标签 人工判定 人工评判 人工结论 人工评测 人工评估 专家标注 专家判定 标注结果 标注标签 标注
        判定结果 判定 是否幻觉 有无幻觉 是否有幻觉 是否存在幻觉 幻觉标注 幻觉 是否有据 是否忠实 是否支持
        质检结果 质检结论
    """,
}
_ORDER = (
    "contexts", "question", "answer", "id",
    "claims", "claim_label", "label", "reference", "generator", "timestamp", "tags",
)  # fmt: skip
_ONE_PER_ROW = frozenset(
    {
        *("claim", "atomicclaim", "claimtext", "atomicfact", "statement", "fact"),
        *("命题", "原子命题", "命题内容", "事实点", "原子事实", "事实", "断言", "陈述"),
    }
)
_WHOLE_ONLY = frozenset({"id", "label", "claims", "claim_label"})  # in metadata.label, another thing is labelled
_TRADITIONAL = str.maketrans(
    "問題檢內參資證據復覆編號時間標籤準類別領輸機應對話記錄專斷陳實結論質詢庫產創錯誤關鍵詞稱統",
    "问题检内参资证据复复编号时间标签准类别领输机应对话记录专断陈实结论质询库产创错误关键词称统",
)  # in names of columns only
_LEVELS = re.compile(r"[./]")  # of nested objects, and of a header over several rows
_BRACKETED = re.compile(r"[(（\[【].*?[)）\]】]")


def _plain(name: str) -> str:
    """A name without case, width, spaces, signs and bracketed remarks: "Actual_Output（必填）" -> actualoutput."""
    return _plain_before(name[:MAX_NAME])


@lru_cache(maxsize=4096)
def _plain_before(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_TRADITIONAL)
    without = _BRACKETED.sub("", folded) or folded
    return "".join(char for char in without if char.isalnum())


_KNOWN = {role: [_plain(alias) for alias in names.split()] for role, names in _ALIASES.items()}


def guess_mapping(columns: Sequence[str]) -> dict[str, str | list[str] | None]:
    """Role -> column, by name alone: whole names first, then the last part of one with levels.

    Of ROLES, those of CORE that are not found are None, the others absent. "contexts" is a list when numbered columns
    (context_1, context_2; 检索片段1, 检索片段2) belong together. A label beside a column with one claim per row is
    the label of that claim.
    """
    mapping = _guess(columns, _ORDER)
    claims = mapping["claims"]
    if isinstance(claims, str) and _plain(claims) in _ONE_PER_ROW and not mapping["claim_label"]:
        mapping["claim_label"], mapping["label"] = mapping["label"], None
    return {role: column for role, column in mapping.items() if column or role in CORE}


def _guess(columns: Sequence[str], roles: Sequence[str]) -> dict[str, str | list[str] | None]:
    mapping: dict[str, str | list[str] | None] = dict.fromkeys(role for role in ROLES if role in roles)
    free = {column: column for column in columns}
    for whole in (True, False):
        if not whole:
            parts = {column: _LEVELS.split(column) for column in free}
            free = {column: levels[-1] for column, levels in parts.items() if len(levels) > 1}
        for role in roles:
            if mapping[role] is None and (whole or role not in _WHOLE_ONLY):
                found = _find(role, free, whole=whole)
                free = {column: name for column, name in free.items() if column not in found}
                mapping[role] = (found if len(found) > 1 else found[0]) if found else None
    return mapping


def _find(role: str, names: Mapping[str, str], *, whole: bool) -> list[str]:
    """The columns of a role. names: column -> the name that is looked at, all of it or its last level."""
    plain = {column: _plain(name) for column, name in names.items()}
    numbered = families(names, _plain) if role == "contexts" else {}
    for alias in _KNOWN[role]:
        in_order = numbered.get(alias, [])
        found = [column for column, name in plain.items() if name == alias and column not in in_order] + in_order
        if found:
            return found if role == "contexts" and (whole or "/" in found[0]) else found[:1]
    return next((numbered[name] for name in NUMBERED_ONLY if len(numbered.get(name, ())) > 1), [])


def known_roles(columns: Sequence[str]) -> int:
    """How many of question, answer, contexts and id the names give away: a header scores, a row of data does not."""
    return sum(column is not None for column in _guess(columns, _ORDER[:4]).values())
