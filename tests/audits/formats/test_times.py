"""Moments as files write them; what can be read in two ways is not read."""

from datetime import UTC, datetime

import pytest

from audits.formats.times import parse

MOMENT = datetime(2024, 3, 5, 10, 11, 12, tzinfo=UTC)
MINUTE = datetime(2024, 3, 5, 10, 11, tzinfo=UTC)
DAY = datetime(2024, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2024-03-05T10:11:12Z", MOMENT),
        ("2024-03-05T10:11:12+00:00", MOMENT),
        ("2024-03-05T18:11:12+08:00", MOMENT),
        ("2024-03-05 18:11:12 +0800", MOMENT),
        ("2024-03-05 18:11:12 +0800 CST", MOMENT),
        ("2024-03-05 10:11:12 UTC", MOMENT),
        ("2024-03-05 10:11:12", MOMENT),
        (" 2024-03-05 10:11:12\n", MOMENT),
        ("2024-03-05T10:11:12.000", MOMENT),
        ("2024-03-05T10:11:12.000000000Z", MOMENT),
        ("20240305T101112Z", MOMENT),
        ("2024-03-05 10:11", MINUTE),
        ("2024-03-05", DAY),
        ("20240305", DAY),
        ("2024/3/5", DAY),
        ("2024.3.5", DAY),
        ("2024年3月5日", DAY),
        ("2024年03月05日 10:11", MINUTE),
        ("2024年3月5日10时11分12秒", MOMENT),
        ("2024年3月5日 上午10:11", MINUTE),
        ("2024/3/5 10:11:12", MOMENT),
        ("Mar 5, 2024", DAY),
        ("March 5th, 2024 10:11 AM", MINUTE),
        ("5 Mar 2024 10:11", MINUTE),
        ("05-Mar-2024", DAY),
        ("Tue, 05 Mar 2024 10:11:12 GMT", MOMENT),
        ("Tue Mar 05 2024 18:11:12 GMT+0800 (China Standard Time)", MOMENT),
        (1709633472, MOMENT),
        (1709633472.0, MOMENT),
        ("1709633472", MOMENT),
        ("1709633472000", MOMENT),
        (1709633472000, MOMENT),
        ("1709633472000000", MOMENT),
        ("1709633472000000000", MOMENT),
        ("13/03/2024", datetime(2024, 3, 13, tzinfo=UTC)),
        ("3/13/2024 4:05 PM", datetime(2024, 3, 13, 16, 5, tzinfo=UTC)),
        ("04.04.2024", datetime(2024, 4, 4, tzinfo=UTC)),
        ("2024年3月5日 下午1:30", datetime(2024, 3, 5, 13, 30, tzinfo=UTC)),
        ("2024-03-05 12:05 AM", datetime(2024, 3, 5, 0, 5, tzinfo=UTC)),
        ("2024-03-05 12:05 PM", datetime(2024, 3, 5, 12, 5, tzinfo=UTC)),
    ],
)
def test_moments(written, moment):
    assert parse(written) == moment
    assert parse(written).utcoffset().total_seconds() == 0


@pytest.mark.parametrize(
    "written",
    [
        "03/04/2024",
        "3.4.2024 10:11",
        "03/04/24",
        "2024",
        "45356.42",
        45356.42,
        0,
        -1,
        float("nan"),
        float("inf"),
        True,
        "",
        "yesterday",
        "2024-13-05",
        "2024-02-30",
        "2024年3月5日 晚上12:10",
        "2024-03-05 10:11:12 CST",
        "2024-03-05 25:00",
        "1024-03-05",
        "9999-12-31T23:59:59+00:00",
        "0001-01-01T00:00:00+14:00",
        "2024-03-05T10:11:12+99:99",
        "9" * 5000,
        "2024-03-05 " * 1000,
        ["2024-03-05"],
        {"$date": 1},
    ],
)
def test_what_names_no_moment_or_two(written):
    assert parse(written) is None
