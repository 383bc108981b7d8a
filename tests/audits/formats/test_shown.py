"""Numbers and dates as the sheet shows them."""

from datetime import date, datetime, time, timedelta

import pytest

from audits.formats.shown import shown


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (3, "General", "3"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1437.5, "General", "1437.5"),
        (-2, "", "-2"),
        (1e-7, "General", "1E-07"),
        (12345678901, "General", "12345678901"),
        (12345678901234567890, "General", "12345678901234567890"),  # as an integer in the file
        (1.23456789012346e19, "General", "12345678901234600000"),  # as 1.23456789012346E+19
        (440106199001011234, "0", "440106199001011234"),
        (1437.5, "#,##0.00", "1,437.50"),
        (1437.5, "#,##0", "1,438"),
        (1234567, "#,##0", "1,234,567"),
        (0.5, "#,##0.00", "0.50"),
        (0.5, "#.##", ".5"),
        (2, "0.##", "2."),
        (-1437.5, "#,##0.00", "-1,437.50"),
        (-0.001, "0.00", "0.00"),
        (-5, "0.00_);(0.00)", "(5.00)"),
        (-5, '#,##0_);[Red]("$"#,##0)', "($5)"),
        (0, '_ * #,##0.00_ ;_ * \\-#,##0.00_ ;_ * "-"??_ ;_ @_ ', "-"),
        (1437.5, '_ * #,##0.00_ ;_ * \\-#,##0.00_ ;_ * "-"??_ ;_ @_ ', "1,437.50"),
        (1437.5, "¥#,##0", "¥1,438"),
        (1437.5, '"¥"#,##0.00', "¥1,437.50"),
        (1437.5, "[$¥-804]#,##0.00", "¥1,437.50"),
        (1437.5, "[$€-407]#,##0.00", "€1,437.50"),
        (1437.5, '#,##0.00" 元"', "1,437.50 元"),
        (1437.5, "#,##0.00\\ €", "1,437.50 €"),
        (0.95, "0%", "95%"),
        (0.955, "0.0%", "95.5%"),
        (0.8230000000000001, "0.00%", "82.30%"),
        (7, "0000", "0007"),
        (13800138000, "000-0000-0000", "138-0013-8000"),
        (14375000, '0!.0,"万"', "1437.5万"),
        (1234567, "0.0,", "1234.6"),
        (1234567, '0.00,,"M"', "1.23M"),
        (12345, "0.00E+00", "1.23E+04"),
        (0.00012, "0.0E-00", "1.2E-04"),
        (0.5, "# ?/?", "0.5"),  # fractions are shown as decimals
        (5, "[>=100]0.0;0", "5"),
        (5, '"n/a"', "n/a"),
        (5, "General\\ x", "5"),
        (2.5, "@", "2.5"),
        (True, "0.00", "TRUE"),
        (False, "General", "FALSE"),
        (1e300, "0.00", "1" + "0" * 300),
    ],
)
def test_numbers(value, number_format, text):
    assert shown(value, number_format) == text


MOMENT = datetime(2024, 3, 5, 14, 7, 9)


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (MOMENT, "yyyy-mm-dd", "2024-03-05"),
        (MOMENT, "yyyy/m/d", "2024/3/5"),
        (MOMENT, 'yyyy"年"m"月"d"日"', "2024年3月5日"),
        (MOMENT, 'yyyy"年"m"月"d"日";@', "2024年3月5日"),
        (MOMENT, "[$-804]yyyy年m月d日 aaaa", "2024年3月5日 星期二"),
        (MOMENT, 'm"月"d"日"', "3月5日"),
        (MOMENT, "yyyy-mm-dd hh:mm:ss", "2024-03-05 14:07:09"),
        (MOMENT, "yyyy/m/d h:mm", "2024/3/5 14:07"),
        (MOMENT, "yyyy/mm/dd AM/PM h:mm", "2024/03/05 PM 2:07"),
        (MOMENT, "yyyy-m-d 上午/下午h:mm", "2024-3-5 下午2:07"),
        (MOMENT, "d-mmm-yyyy", "5-Mar-2024"),
        (MOMENT, "dddd, mmmm d, yyyy", "Tuesday, March 5, 2024"),
        (MOMENT, "mm-dd-yy", "2024-03-05"),  # 03-05-24 could be the third of May
        (MOMENT, "m/d/yyyy", "2024-03-05"),
        (MOMENT, "dd.mm.yyyy", "2024-03-05"),
        (MOMENT, "yy-mm-dd", "2024-03-05"),
        (MOMENT, "m/d/yy h:mm", "2024-03-05 14:07"),
        (MOMENT, "h:mm", "14:07"),
        (MOMENT, "mm:ss", "07:09"),
        (MOMENT, "h:mm:ss AM/PM", "2:07:09 PM"),
        (MOMENT, "[DBNum1]yyyy年m月d日", "2024-03-05 14:07:09"),
        (MOMENT, "General", "2024-03-05 14:07:09"),
        (datetime(2024, 3, 5), "General", "2024-03-05"),
        (datetime(2024, 3, 5), "yyyy-mm-dd h:mm:ss", "2024-03-05 0:00:00"),
        (date(2024, 3, 5), "yyyy-mm-dd", "2024-03-05"),
        (time(10, 30), "h:mm:ss", "10:30:00"),
        (time(10, 30), "yyyy-mm-dd h:mm", "10:30"),
        (time(0, 0), "yyyy-mm-dd", "00:00:00"),
        (time(10, 30), "General", "10:30:00"),
        (timedelta(hours=26, minutes=3, seconds=4), "[h]:mm:ss", "26:03:04"),
        (timedelta(minutes=90), "[mm]:ss", "90:00"),
        (timedelta(hours=26), "General", "26:00:00"),
    ],
)
def test_dates_and_times(value, number_format, text):
    assert shown(value, number_format) == text


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("a_x000D_\nb", "a\r\nb"),
        ("a_x005F_b", "a_b"),
        ("_x005F_x000D_", "_x000D_"),
        ("_x4E2D_", "_x4E2D_"),
        ("a_b", "a_b"),
    ],
)
def test_escapes_in_texts(stored, text):
    assert shown(stored, "General") == text


@pytest.mark.parametrize(
    "number_format", ["0" * 5_000, '"' * 3_001, "[" * 3_000, ";" * 3_000, "\\", "#,##0.0.0", "_", "[$"]
)
def test_odd_formats_take_no_time_and_raise_nothing(number_format):
    assert shown(1437.5, number_format)
    assert shown(MOMENT, number_format)
