"""Made samples for timing: answers of so many claims, contexts that hold four of five of them, every text unique."""

import random
from typing import Any

FILLER = {
    "en": "Further terms follow the general conditions of the house, which the branch hands out on request.",
    "zh": "其他条款以本行的一般条件为准，客户可向网点索取。",
}
CLAIM = {
    "en": "Under tariff {tariff} the holder of account {account} may withdraw {amount} euros within {days} days",
    "zh": "按照{tariff}号资费，账户{account}的持有人可以在{days}天内提取{amount}欧元",
}
STOP = {"en": ".", "zh": "。"}
GAP = {"en": " ", "zh": ""}


def rows(count: int, *, claims: int, salt: str, passages: int = 3, passage: int = 500) -> list[dict[str, Any]]:
    """`count` samples of `claims` claims, with `passages` contexts of about `passage` characters each.

    salt keeps the texts of two datasets apart, so that no answer to one is found again for the other. Every fourth
    sample is Chinese.
    """
    chance = random.Random(salt)
    return [
        _row(number, "zh" if number % 4 == 3 else "en", claims, salt, passages, passage, chance)
        for number in range(count)
    ]


def _row(
    number: int, language: str, claims: int, salt: str, passages: int, passage: int, chance: random.Random
) -> dict[str, Any]:
    said = [_claim(language, f"{salt}{number}", chance) for _ in range(claims)]
    held = [claim for index, claim in enumerate(said) if index % 5 != 4]
    contexts = []
    for place in range(passages):
        parts = [claim + STOP[language] for index, claim in enumerate(held) if index % passages == place]
        size = sum(map(len, parts))
        parts += [FILLER[language]] * ((passage - size) // len(FILLER[language]) + 1)
        chance.shuffle(parts)
        contexts.append(GAP[language].join(parts))
    answer = GAP[language].join(claim + STOP[language] for claim in said)
    question = f"What does tariff {salt}{number} say?" if language == "en" else f"资费{salt}{number}有哪些规定？"
    return {"id": f"{salt}-{number}", "question": question, "contexts": contexts, "answer": answer}


def _claim(language: str, tariff: str, chance: random.Random) -> str:
    account = chance.randrange(10**8, 10**9)
    return CLAIM[language].format(
        tariff=tariff, account=account, amount=chance.randrange(100, 9999), days=chance.randrange(2, 99)
    )
