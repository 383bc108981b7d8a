"""Families: the maker is seen through gateways, regions, fine-tunes and quantised copies, in English and Chinese."""

import re

import pytest

from audits.judges.families import are_kin, families_of, family_of, is_known, problem_with
from audits.judges.makers import FAMILIES


@pytest.mark.parametrize(
    ("vendor", "model", "family"),
    [
        ("openai", "gpt-6-luna", "openai"),
        ("openai", "o3", "openai"),
        ("openai", "ft:gpt-4o-2024-08-06:acme:claude-style:abc1", "openai"),
        ("openai", "azure/gpt-4o", "openai"),
        ("vllm", "openai/gpt-oss-20b", "openai"),
        ("anthropic", "claude-x", "anthropic"),
        ("openai", "anthropic.claude-sonnet", "anthropic"),
        ("openai", "openrouter/anthropic/claude-x", "anthropic"),
        ("openai", "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-v1:0", "anthropic"),
        ("openai", "us.amazon.nova-pro-v1:0", "amazon"),
        ("openai", "accounts/fireworks/models/qwen2p5-72b-instruct", "qwen"),
        ("deepseek", "claude-opus", "deepseek"),
        ("vllm", "deepseek-ai/DeepSeek-V4", "deepseek"),
        ("ollama", "qwen3:8b", "qwen"),
        ("ollama", "llama3.3:70b", "meta"),
        ("ollama", "hf.co/bartowski/gemma-3-27b-it-GGUF:Q4_K_M", "google"),
        ("vllm", "TheBloke/Llama-2-7B-GPTQ", "meta"),
        ("vllm", "Hermes-3-Llama-3.1-70B", "meta"),
        ("vllm", "EleutherAI/gpt-j-6b", "eleutherai"),
        ("vllm", "microsoft/phi-4", "microsoft"),
        ("vllm", "ibm-granite/granite-3.3-8b", "ibm"),
        ("vllm", "nvidia/Nemotron-H-47B", "nvidia"),
        ("vllm", "tiiuae/falcon-180b", "tii"),
        ("vllm", "databricks/dbrx-instruct", "databricks"),
        ("openai", "ai21.jamba-1-5-large-v1:0", "ai21"),
        ("openai", "command-r-plus", "cohere"),
        ("openai", "doubao-seed-1-6-250615", "bytedance"),
        ("vllm", "ByteDance-Seed/Seed-OSS-36B-Instruct", "bytedance"),
        ("openai", "hunyuan-turbos-latest", "tencent"),
        ("openai", "abab6.5s-chat", "minimax"),
        ("openai", "MiniMax-M2", "minimax"),
        ("openai", "yi-lightning", "01ai"),
        ("openai", "Baichuan4", "baichuan"),
        ("vllm", "internlm/internlm3-8b-instruct", "internlm"),
        ("openai", "step-2-16k", "stepfun"),
        ("openai", "spark-max", "iflytek"),
        ("openai", "pangu-pro-moe", "huawei"),
        ("openai", "zai-org/GLM-4.6", "zhipu"),
        ("openai", "moonshotai/Kimi-K2", "moonshot"),
        ("openai", "ernie-4.5-turbo", "baidu"),
        ("openai", "google/some-new-name", "google"),
        ("openai", "prod-judge", "openai"),
        ("vllm", "mymodel", "vllm"),
        ("vllm", "olmo-7b", "allenai"),
        ("offline", "rules", "offline-rules"),
        ("offline", "vector", "offline-vector"),
    ],
)
def test_family_goes_by_the_models_name_first(vendor: str, model: str, family: str) -> None:
    assert family_of(vendor, model) == family


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("通义千问-Max", ("qwen",)),
        ("AI豆包", ("bytedance",)),
        ("百度文心一言 4.0", ("baidu",)),
        ("讯飞星火", ("iflytek",)),
        ("ＧＰＴ-４", ("openai",)),
        ("GPT-4o / Claude 3.5", ("openai", "anthropic")),
        ("our bot on Claude", ("anthropic",)),
        ("a step by step command of the nova spark bot", ("unknown:a step by step command of the nova spark bot",)),
        ("LoanBot-7b", ("unknown:loanbot-7b",)),
    ],
)
def test_a_generator_is_written_down_as_free_text(name: str, families: tuple[str, ...]) -> None:
    assert families_of("", name) == families
    assert is_known("", name) is not families[0].startswith("unknown:")


def test_a_distilled_model_is_kin_of_both() -> None:
    distilled = ("vllm", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B")
    assert families_of(*distilled) == ("deepseek", "qwen")
    assert are_kin(distilled, ("qwen", "qwen-max")) and are_kin(distilled, ("deepseek", "deepseek-chat"))
    assert not are_kin(distilled, ("openai", "gpt-5"))


def test_two_unknown_names_are_not_one_family_unless_they_are_one_name() -> None:
    assert family_of("", "LoanBot-7b") != family_of("", "Helper-2")
    assert family_of("", "LoanBot-7b") != ""
    assert not are_kin(("", "LoanBot-7b"), ("", "Helper-2"))
    assert are_kin(("", "bank/LoanBot-7b"), ("vllm", "loanbot-7b"))  # the model would judge itself
    assert not are_kin(("offline", "rules"), ("offline", "vector"))


def test_a_name_that_tells_nothing_is_known_as_that() -> None:
    assert not is_known("openai", "prod-judge") and not is_known("vllm", "mymodel") and not is_known("", "")
    assert is_known("openai", "gpt-5") and is_known("deepseek", "anything") and is_known("offline", "rules")


def test_rules_come_before_the_table() -> None:
    rules = (("prod-", "anthropic"), ("(?:our|my)-gpt", "House"))
    assert family_of("openai", "PROD-judge", rules) == "anthropic"
    assert family_of("openai", "gateway/prod-judge", rules) == "anthropic"
    assert family_of("openai", "my-gpt", rules) == "house"
    assert is_known("openai", "prod-judge", rules)
    assert family_of("openai", "gpt-5", rules) == "openai"
    assert family_of("offline", "rules", (("rules", "x"),)) == "offline-rules"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "matches_all"),
        (" ", "matches_all"),
        ("a*", "matches_all"),
        ("x|", "matches_all"),
        ("[", "no_pattern"),
        ("(", "no_pattern"),
        ("(a+)+$", "too_complex"),
        ("a?a?a?a?b", "too_complex"),
        ("(a|a)(a|a)(a|a)(a|a)b", "too_complex"),
        (r"(a)\1", "too_complex"),
        ("gpt-.*-prod", ""),
        (r"judge\.[*+?(]\d{2}", ""),
        ("(a|b)-(c|d)?", ""),
        ("豆包", ""),
    ],
)
def test_a_pattern_is_checked_before_it_is_saved(pattern: str, problem: str) -> None:
    assert problem_with(pattern) == problem


def test_a_pattern_that_cannot_be_used_stops_nothing() -> None:
    rules = (("[", "x"), ("", "y"), ("(a+)+$", "z"))
    assert family_of("openai", "gpt-5", rules) == "openai"
    assert family_of("vllm", "a" * 60 + "!", rules) == "vllm"


def test_a_name_of_any_length_is_read() -> None:
    assert family_of("vllm", "x." * 100_000) == "vllm"
    assert family_of("", "/".join(["a"] * 100_000)).startswith("unknown:")


def test_the_table_names_each_family_once_and_in_patterns_that_work() -> None:
    names = [row.name for row in FAMILIES]
    assert len(names) == len(set(names))
    for row in FAMILIES:
        assert row.words or row.starts
        for pattern in (row.words, row.starts, row.makers):
            assert not pattern or not re.compile(pattern).match("")
