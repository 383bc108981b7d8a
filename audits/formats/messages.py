"""Every sentence that a file can provoke, by code, for the interface to translate: what, what is safe, what to do."""

from audits.formats.base import FormatError, RowProblem

FILE_ERRORS = {
    "empty_file": "The file is empty. Nothing was imported. Export it again and check its size before uploading.",
    "no_rows": "The file has no rows below its header. Nothing was imported. Add rows and upload it again.",
    "no_good_rows": (
        "None of the first %(count)s rows can be read; the first fails in line %(line)s: %(reason)s "
        "Nothing was imported."
    ),
    "too_large": "The file is larger than %(limit)s MB. Nothing was imported. Split it and upload the parts.",
    "unknown_type": (
        "The file is %(kind)s, not a dataset. Nothing was imported. Upload a CSV, XLSX, JSONL or JSON file."
    ),
    "html": (
        "The file is a web page (HTML), whatever its name says. Nothing was imported. "
        "Open it in a spreadsheet program and save it as .xlsx."
    ),
    "legacy_xls": (
        "The file is a workbook of the old Excel format (.xls). Nothing was imported. "
        "Open it in Excel or LibreOffice, save it as .xlsx and upload that."
    ),
    "binary_xlsb": (
        "The file is a binary workbook (.xlsb). Nothing was imported. "
        "Open it in Excel, save it as .xlsx and upload that."
    ),
    "encrypted": (
        "The file is protected by a password. Nothing was imported. Remove the password and upload it again."
    ),
    "undecodable": (
        "Line %(line)s holds bytes that are not %(encoding)s text. Nothing was imported. "
        "Choose another encoding, or save the file as UTF-8 and upload it again."
    ),
    "unknown_encoding": (
        "%(encoding)s is not an encoding that can be read. Nothing was imported. Choose one of: %(encodings)s."
    ),
    "no_delimiter": (
        "The file is text, but its first line has no comma, semicolon, tab or | between columns. "
        "Nothing was imported. Choose the character that separates the columns, or upload CSV, XLSX, JSONL or JSON."
    ),
    "bad_delimiter": "A separator is one character, and no quotation mark or line break. Nothing was imported.",
    "bad_header": "The header in line %(line)s cannot be read: %(reason)s Nothing was imported. Repair that line.",
    "too_many_columns": (
        "The header has more than %(limit)s columns. Nothing was imported. Keep the columns that are needed."
    ),
    "bad_json": (
        "The JSON breaks off or is wrong in line %(line)s, column %(position)s: %(detail)s. Nothing was imported. "
        "Repair it, or export the file again."
    ),
    "too_deep": (
        "The JSON is nested more than %(limit)s levels deep. Nothing was imported. Export the rows as flat objects."
    ),
    "no_objects": (
        "The JSON holds no list of objects. Nothing was imported. "
        'Write it as [{"question": …, "contexts": […], "answer": …}, …].'
    ),
    "column_oriented": (
        "The JSON lists columns, not rows. Nothing was imported. "
        'Export it row by row (in pandas: orient="records") and upload that.'
    ),
    "broken_workbook": (
        "The workbook is damaged and cannot be read. Nothing was imported. "
        "Open it in a spreadsheet program, save it as .xlsx again and upload that."
    ),
    "workbook_too_large": (
        "Unpacked, the workbook is too large to be read safely. Nothing was imported. "
        "Save it as CSV (UTF-8), or split it, and upload that."
    ),
    "unknown_sheet": "The workbook has no sheet named %(sheet)s. Nothing was imported. It has: %(sheets)s.",
    "merged_header": (
        "The header in row %(line)s has merged cells, so its columns have no clear names. Nothing was imported. "
        "Unmerge them, give each column one name in one row, fill every row, and upload it again."
    ),
    "missing_column": (
        "No column of the file is chosen for %(column)s. Nothing was imported. "
        "Choose one of the columns found: %(columns)s."
    ),
    "unknown_column": (
        "The column %(name)s, chosen for %(column)s, is not in the file. Nothing was imported. "
        "Choose one of the columns found: %(columns)s."
    ),
    "no_header": (
        "No column name of the file is known; in a table without a header, the first row was taken for one. "
        "Nothing was imported. Add a header such as id, question, contexts, answer, or choose the columns. "
        "Found: %(columns)s."
    ),
}

ROW_PROBLEMS = {
    "too_few_fields": "The row has %(found)s fields where the header has %(expected)s.",
    "too_many_fields": (
        "The row has %(found)s fields where the header has %(expected)s; "
        "a separator inside a text needs quotation marks."
    ),
    "bad_quotes": (
        "A quoted text of the lines %(line)s to %(last)s goes on after its closing quotation mark; "
        "write a quotation mark inside a quoted text twice."
    ),
    "unclosed_quote": (
        "A quotation mark opens here and is never closed; the lines %(line)s to %(last)s could not be read."
    ),
    "unreadable_rest": "A text or line longer than %(limit)s characters starts here; from here on nothing was read.",
    "cell_too_long": "The text has more than %(limit)s characters.",
    "undecodable": "The text holds bytes that are not %(encoding)s.",
    "bad_character": "The text holds half a character (an unpaired surrogate), which cannot be stored.",
    "bad_json": "The line is not complete JSON, from position %(position)s on: %(detail)s.",
    "not_an_object": "The row is not a JSON object with named fields.",
    "line_too_long": "The line has more than %(limit)s characters.",
    "too_deep": "The JSON is nested more than %(limit)s levels deep.",
    "not_text": "A text is expected here, but the file has a list or an object.",
    "bad_contexts": "The contexts are neither a text, nor a list of texts, nor a list of objects with a text.",
    "bad_list": "The contexts look like a list that was cut or damaged, so they cannot be told apart.",
    "merged_cells": "The row has merged cells; unmerge them and fill in every row.",
}

WARNINGS = {
    "guessed_encoding": "The file is not UTF-8 and its encoding was guessed. Check that the texts below read well.",
    "mojibake": "Some texts look wrongly decoded before they were saved here. Check them; nothing is repaired.",
    "skipped_rows": "The rows above the header were left out.",
    "other_sheets": "The workbook has other sheets with rows; only one sheet is read.",
    "no_header": "No column name is known: the first row may be data instead of a header.",
    "many_columns": "The file has very many columns; only the first ones are listed.",
    "joined_contexts": "Contexts joined by | are read as one context, because | also occurs in tables and texts.",
}


def file_error(code: str, **params: object) -> FormatError:
    """A FormatError in the words of FILE_ERRORS; params are texts and numbers, so that they can be stored as JSON."""
    return FormatError(code, FILE_ERRORS[code], **params)


def row_problem(line: int, code: str, column: str = "", **params: object) -> RowProblem:
    """A RowProblem in the words of ROW_PROBLEMS."""
    params = {"line": line, **params}
    return RowProblem(line, column, code, ROW_PROBLEMS[code] % params, params)
