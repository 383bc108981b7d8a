"""The same rows as the files in which tools give them: JSON, JSON Lines, CSV with JSON or what pandas writes."""

import csv
import io
import json
from typing import Any

from audits.formats import Opened

from ..conftest import read

Row = dict[str, Any]


def as_json(rows: list[Row]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def as_lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_lines_of_texts(rows: list[Row]) -> str:
    """Objects and lists as JSON texts, as databases export them."""
    return as_lines([{name: _cell(value, json.dumps) for name, value in row.items()} for row in rows])


def as_csv(rows: list[Row]) -> str:
    return _table(rows, json.dumps)


def as_pandas_csv(rows: list[Row]) -> str:
    return _table(rows, str)


def _table(rows: list[Row], write: Any) -> str:
    out = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = csv.DictWriter(out, names, lineterminator="\r\n")
    table.writeheader()
    for row in rows:
        table.writerow({name: _cell(row.get(name), write) for name in names})
    return out.getvalue()


def _cell(value: Any, write: Any) -> Any:
    return write(value) if isinstance(value, dict | list) else value


FORMS = (as_json, as_lines, as_lines_of_texts, as_csv, as_pandas_csv)


def told(opened: Opened) -> list[tuple[str, str, list[str], str]]:
    """id, question, contexts, answer of every record; there are no problems."""
    records, problems = read(opened)
    assert problems == []
    return [(one.external_id, one.question, list(one.contexts), one.answer) for one in records]


Q1, Q2 = "退货后多久能收到退款？", 'What\'s covered by the "Gold" plan?'
A1, A2 = "3个工作日内原路退款；“定制商品”除外。", "- Laptops, phones\n- Not: accidents 🚫"
C1 = ["第3条：7日内可退货。", "| 区域 | 营收 |\n|---|---|\n| 华东 | 1,250.0 |"]
C2 = ["It doesn't cover accidents."]
EXPECTED = [(Q1, C1, A1), (Q2, C2, A2)]
