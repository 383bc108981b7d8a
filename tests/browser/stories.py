"""The files that the analysts of the journeys bring along: small, with columns that nobody could guess."""

import csv
import io
from dataclasses import dataclass


@dataclass(frozen=True)
class Story:
    """A file. columns: identifier, question, contexts, answer."""

    slug: str
    name: str
    filename: str
    encoding: str
    columns: tuple[str, str, str, str]
    rows: tuple[tuple[str, str, str], ...]  # question, context, answer
    made_up: str  # words of an answer that no context holds

    def content(self) -> bytes:
        """The bytes of the file."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(self.columns)
        for number, (question, context, answer) in enumerate(self.rows, start=1):
            writer.writerow([f"{self.slug}-{number}", question, context, answer])
        return out.getvalue().encode(self.encoding)


STORIES = {
    "en": Story(
        slug="harbour",
        name="Harbour",
        filename="harbour.csv",
        encoding="utf-8",
        columns=("ref", "asked", "passages", "said"),
        rows=(
            (
                "How long is the term?",
                "The term of the loan is 12 to 84 months. The rate is fixed for the whole term.",
                "The term of the loan is 12 to 84 months. The rate is fixed for the whole term.",
            ),
            (
                "Is there a fee?",
                "No fee is charged for opening the account.",
                "No fee is charged for opening the account. The manager of the branch is called Ms Otter.",
            ),
            (
                "What does early repayment cost?",
                "The bank charges 1 percent of the amount repaid early.",
                "The bank charges 2 percent of the amount repaid early.",
            ),
        ),
        made_up="Ms Otter",
    ),
    "zh-hans": Story(
        slug="gangwan",
        name="港湾",
        filename="港湾贷款.csv",
        encoding="gb18030",
        columns=("编码", "提问", "出处", "说法"),
        rows=(
            (
                "贷款期限多长？",
                "贷款期限为12至84个月。利率在整个期限内固定不变。",
                "贷款期限为12至84个月。利率在整个期限内固定不变。",
            ),
            ("开户收费吗？", "开立账户不收取任何费用。", "开立账户不收取任何费用。支行行长名叫欧阳喆。"),
            ("提前还款要付多少？", "提前还款按还款金额的1%收取费用。", "提前还款按还款金额的2%收取费用。"),
        ),
        made_up="欧阳喆",
    ),
}
