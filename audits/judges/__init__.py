"""The list of vendors, and what is found out about a judge before it is built: address and key."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from audits.judges.base import Fault, Judge, JudgeError, JudgeSpec


@dataclass(frozen=True)
class Vendor:
    """One way to reach models. The fields below `base_url` say how a compatible endpoint differs from OpenAI's."""

    label: str
    build: Callable[[JudgeSpec], Judge]
    offline: bool = False  # a specimen that makes no call: for demonstration, never for a certificate
    key_env: str = ""
    key_required: bool = True
    base_url_env: str = ""
    base_url: str = ""
    batch: bool = False  # has batches at half price, and its judge is a BatchJudge
    structured: str = "json_schema"  # "json_schema" | "json_object"
    token_param: str = "max_tokens"  # noqa: S105 (the name of a parameter, no secret)
    body: Mapping[str, Any] = field(
        default_factory=dict
    )  # sent with every call unless the judge's params say otherwise


# The SDKs take a second to import, so each is imported when its first judge is built.
def _openai(spec: JudgeSpec) -> Judge:
    from audits.judges.openai import build

    return build(spec)


def _anthropic(spec: JudgeSpec) -> Judge:
    from audits.judges.anthropic import build

    return build(spec)


def _offline(spec: JudgeSpec) -> Judge:
    from audits.judges.offline import build

    return build(spec)


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor(
        "OpenAI",
        _openai,
        key_env="OPENAI_API_KEY",
        base_url_env="OPENAI_BASE_URL",
        base_url="https://api.openai.com/v1",
        batch=True,
        token_param="max_completion_tokens",  # noqa: S106 (the name of a parameter, no secret)
        body={"store": False},
    ),
    "anthropic": Vendor(
        "Anthropic",
        _anthropic,
        key_env="ANTHROPIC_API_KEY",
        base_url_env="ANTHROPIC_BASE_URL",
        base_url="https://api.anthropic.com",
        batch=True,
    ),
    "deepseek": Vendor(
        "DeepSeek",
        _openai,
        key_env="DEEPSEEK_API_KEY",
        base_url_env="DEEPSEEK_BASE_URL",
        base_url="https://api.deepseek.com",
        structured="json_object",
        body={"thinking": {"type": "disabled"}},  # on by default there, and eats max_tokens before the verdicts
    ),
    "qwen": Vendor(
        "Qwen",
        _openai,
        key_env="DASHSCOPE_API_KEY",
        base_url_env="DASHSCOPE_BASE_URL",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        structured="json_object",
        body={"enable_thinking": False},  # the JSON modes exist only without thinking
    ),
    "ollama": Vendor(
        "Ollama",
        _openai,
        key_env="OLLAMA_API_KEY",
        key_required=False,
        base_url_env="OLLAMA_BASE_URL",
        base_url="http://127.0.0.1:11434/v1",
    ),
    "vllm": Vendor(
        "vLLM",
        _openai,
        key_env="VLLM_API_KEY",
        key_required=False,
        base_url_env="VLLM_BASE_URL",
        base_url="http://127.0.0.1:8000/v1",
    ),
    "offline": Vendor("Offline (lexical baseline)", _offline, offline=True, key_required=False),
}


def parse_name(name: str) -> tuple[str, str]:
    """Split "vendor:model" as the command line writes it; the model may hold colons.

    Raises ValueError with a sentence for people.
    """
    vendor, separator, model = (part.strip() for part in name.strip().partition(":"))
    if not separator or not model:
        raise ValueError(f"“{name}” is no judge: write VENDOR:MODEL, for instance openai:MODEL.")
    if vendor not in VENDORS:
        raise ValueError(f"“{vendor}” is no known vendor. Known vendors: {', '.join(VENDORS)}.")
    return vendor, model


def base_url_of(spec: JudgeSpec) -> str:
    """The address a judge's calls go to: its own, else the vendor's environment variable, else the preset."""
    vendor = VENDORS.get(spec.vendor)
    if vendor is None or vendor.offline:
        return spec.base_url
    url = spec.base_url or os.environ.get(vendor.base_url_env, "") or vendor.base_url
    return url.strip().rstrip("/")


def resolve(spec: JudgeSpec) -> JudgeSpec:
    """The spec with its address and key filled in from the environment.

    Raises JudgeError (CONFIG) when the vendor is unknown, the key is missing or the address is none.
    """
    vendor = VENDORS.get(spec.vendor)
    if vendor is None:
        raise JudgeError(Fault.CONFIG, f"“{spec.vendor}” is no known vendor. Known vendors: {', '.join(VENDORS)}.")
    if vendor.offline:
        return spec
    url = base_url_of(spec)
    if not _is_address(url):
        raise JudgeError(
            Fault.CONFIG,
            f"The address of {vendor.label} must begin with http:// or https:// ({vendor.base_url_env}).",
        )
    # The environment's key goes to the operator's address alone: who may add a judge could else have it sent away.
    key = (spec.api_key or ("" if spec.base_url else os.environ.get(vendor.key_env, ""))).strip()
    if not key and vendor.key_required:
        own = "store a key with this judge, which has an address of its own"
        missing = own if spec.base_url else f"set {vendor.key_env}"
        raise JudgeError(Fault.CONFIG, f"No API key for {vendor.label}: {missing}.")
    if not re.fullmatch(r"[!-~]*", key):  # it would not fit into an HTTP header
        raise JudgeError(
            Fault.CONFIG, f"The API key for {vendor.label} ({vendor.key_env}) holds characters no key has."
        )
    return replace(spec, api_key=key, base_url=url)


def build_judge(spec: JudgeSpec) -> Judge:
    """A judge ready for many calls on the running event loop. Raises JudgeError (CONFIG) when it cannot be built."""
    resolved = resolve(spec)
    return VENDORS[spec.vendor].build(resolved)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
