"""Which column is the question, the answer, the contexts, the id; and from a row to a Record by that mapping."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audits.formats import cells
from audits.formats.base import Record, RowProblem, SourceRow
from audits.formats.messages import file_error, row_problem

MAX_COLUMNS = 256
MAX_NAME = 200  # code points of a column's name; longer ones are data, or an attack on the patterns below
ROLES = ("id", "question", "contexts", "answer")
ColumnMapping = Mapping[str, str | Sequence[str] | None]
"""Role -> column; None: not found. "contexts" may be several columns; "question" may be "": the file has none."""

# The earlier name wins. Reference answers and gold contexts are no aliases: they are not what the system retrieved.
_ALIASES = {
    "contexts": """
        retrieved_contexts retrieval_context retrieved_context retrieval_contexts contexts retrieved_documents
        retrieved_docs retrieved_passages retrieved_chunks retrieved_texts retrieved retriever_resources
        source_documents context documents document docs passages passage chunks chunk snippets snippet search_results
        evidence evidences sources knowledge background
        检索片段 检索上下文 检索内容 检索结果 检索文档 检索到的内容 召回内容 召回片段 召回结果 召回文档
        参考证据 参考上下文 上下文 证据 参考资料 参考文档 参考内容 参考片段 引用内容 引用片段 引用
        知识片段 知识库内容 知识库片段 文档内容 文档 片段 背景资料 背景
    """,
    "question": """
        question user_question query user_query user_input prompt input instruction questions
        问题 用户问题 提问 用户提问 用户输入 问句 查询 题目 输入 问
    """,
    "answer": """
        answer response actual_output model_answer generated_answer rag_answer llm_answer system_answer bot_answer
        ai_answer assistant_answer predicted_answer model_response model_output rag_response llm_response completion
        generated_text generation prediction output reply result
        回答 模型回答 系统回答 机器人回答 ai回答 助手回答 生成回答 答复 系统答复 回复 模型回复 机器人回复 应答
        模型输出 输出 答案 生成答案 模型答案 系统答案 答
    """,
    "id": """
        id external_id sample_id question_id query_id record_id row_id example_id item_id case_id uid uuid qid
        trace_id run_id message_id key no index number
        编号 序号 样本编号 问题编号 样本id 问题id 题号 记录编号 主键 行号
    """,
}
_BRACKETED = re.compile(r"[(（\[【].*?[)）\]】]")
_NUMBERED = re.compile(r"^(.*?)(\d{1,3}|[一二三四五六七八九十])$")
_CHINESE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九十", start=1)}


def _plain(name: str) -> str:
    """A name without case, width, spaces, signs and bracketed remarks: "Actual_Output（必填）" -> actualoutput."""
    folded = unicodedata.normalize("NFKC", name[:MAX_NAME]).casefold()
    without = _BRACKETED.sub("", folded) or folded
    return "".join(char for char in without if char.isalnum())


_KNOWN = {role: [_plain(alias) for alias in names.split()] for role, names in _ALIASES.items()}


def guess_mapping(columns: Sequence[str]) -> dict[str, str | list[str] | None]:
    """ROLES -> column, by name alone: whole names first, then the last part of a dotted name; None when not found.

    "contexts" is a list when numbered columns (context_1, context_2; 检索片段1, 检索片段2) belong together.
    """
    mapping: dict[str, str | list[str] | None] = dict.fromkeys(ROLES)
    free = list(columns)
    for whole in (True, False):
        for role in ("contexts", "question", "answer", "id"):
            if mapping[role] is None and (whole or role != "id"):
                found = _find(role, free, whole=whole)
                free = [column for column in free if column not in found]
                mapping[role] = (found if len(found) > 1 else found[0]) if found else None
    return mapping


def _find(role: str, columns: Sequence[str], *, whole: bool) -> list[str]:
    names = {column: _plain(column if whole else column.rpartition(".")[2]) for column in columns}
    for alias in _KNOWN[role]:
        found = [column for column, name in names.items() if name == alias]
        if role == "contexts":
            found += [column for _, column in sorted(_family(names, alias)) if column not in found]
        if found:
            return found if role == "contexts" and whole else found[:1]
    return []


def _family(names: Mapping[str, str], alias: str) -> Iterable[tuple[int, str]]:
    for column, name in names.items():
        numbered = _NUMBERED.match(name)
        if numbered and numbered[1] == alias:
            yield int(_CHINESE_DIGITS.get(numbered[2], 0) or numbered[2]), column


def known_roles(columns: Sequence[str]) -> int:
    """How many of question, answer, contexts and id the names give away: a header scores, a row of data does not."""
    return sum(column is not None for column in guess_mapping(columns).values())


def context_columns(mapping: ColumnMapping) -> list[str]:
    """The columns chosen for the contexts, in order."""
    chosen = mapping.get("contexts") or []
    return [chosen] if isinstance(chosen, str) else [column for column in chosen if column]


def check_mapping(mapping: ColumnMapping, columns: Sequence[str]) -> None:
    """Raise FormatError when a needed column is not chosen ("missing_column") or not in the file ("unknown_column").

    Needed: answer, contexts, question; question may be "" for a file without questions. "no_header" when nothing
    is chosen and no name is known.
    """
    chosen = {role: _chosen(mapping, role) for role in ROLES}
    found = ", ".join(column[:40] for column in columns[:30]) + (" …" if len(columns) > 30 else "")
    if not any(chosen.values()) and not known_roles(columns):
        raise file_error("no_header", columns=found)
    for role in ("answer", "contexts", "question"):
        if not chosen[role] and not (role == "question" and mapping.get("question") == ""):
            raise file_error("missing_column", column=role, columns=found)
    for role, names in chosen.items():
        for name in names:
            if name not in columns:
                raise file_error("unknown_column", column=role, name=str(name)[:80], columns=found)


def _chosen(mapping: ColumnMapping, role: str) -> list[str]:
    if role == "contexts":
        return context_columns(mapping)
    column = mapping.get(role)
    return [column] if isinstance(column, str) and column else []


def map_record(row: SourceRow, mapping: ColumnMapping) -> Record | RowProblem:
    """One row as a Record, flagged no_question, no_answer, no_context where that is empty, and nul_removed.

    Columns that are not mapped travel in metadata. A cell that cannot be used makes the row a RowProblem.
    """
    texts: dict[str, str] = {}
    contexts: list[str] = []
    column = ""
    try:
        for role in ("id", "question", "answer"):
            for column in _chosen(mapping, role):
                texts[role] = cells.text_of(_cell(row, column))
        for column in context_columns(mapping):
            contexts += cells.contexts_of(_cell(row, column))
    except cells.CellError as error:
        return row_problem(row.line, error.code, column, **error.params)
    question, answer = texts.get("question", ""), texts.get("answer", "")
    used = {name for role in ROLES for name in _chosen(mapping, role)}
    missing = {"no_question": not question.strip(), "no_answer": not answer.strip(), "no_context": not contexts}
    missing["nul_removed"] = any(cells.holds_nul(row.values.get(name)) for name in used)
    return Record(
        line=row.line,
        external_id=texts.get("id", "").strip(),
        question=question,
        answer=answer,
        contexts=tuple(contexts),
        metadata=_metadata(row, used),
        flags=tuple(flag for flag, holds in missing.items() if holds),
    )


def _cell(row: SourceRow, column: str) -> Any:
    value = row.values.get(column)
    if value is None and any(name.startswith(column + ".") for name in row.values):
        raise cells.CellError("not_text")  # an object here, where other rows have a text
    return value


def _metadata(row: SourceRow, used: set[str]) -> dict[str, Any]:
    rest = {name: value for name, value in row.values.items() if name not in used and not cells.is_missing(value)}
    kept: dict[str, Any] = cells.storable(rest)
    return kept
