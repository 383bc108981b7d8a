import pytest

from audits.text.refusals import is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "Not found in the knowledge base.",
        "I'm sorry, but the provided context does not contain information about that.",
        "I don’t know.",
        "I cannot answer this question based on the given documents. Please contact support.",
        "There is no information available about revenue.",
        "The answer is not found in the provided documents.",
        "未找到相关信息，无法回答。",
        "抱歉，根据提供的文档无法回答该问题。",
        "知识库中没有相关内容。",
        "抱歉，我没有找到关于这个问题的信息，建议您咨询客服。",
        "资料不足，无法判断。",
        "不知道",
    ],
)
def test_declining_to_answer_is_a_refusal(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "The policy does not provide coverage for floods.",
        "The defendant could not answer the question.",
        "The police found no evidence of fraud.",
        "There is no data protection officer in the company.",
        "No figure for 2023 was found in the context, but revenue was $5 million in 2022.",
        "合同未提及违约金。",
        "公司无法确定损失金额为500万元。",
        "科学家没有找到生命的证据。",
        "无法提供担保的企业不得申请贷款。",
        "抱歉，未找到2023年数据，但2022年营收为5亿元。",
    ],
)
def test_a_statement_about_the_world_is_none(text):
    assert not is_refusal(text)
