"""Every sentence that a file can provoke, by code, for the interface to translate: what, what is safe, what to do."""

from typing import Any

from audits.formats.base import FormatError, Notice, Row, RowProblem

MOST_SHOWN = 200  # code points of a value that a table of errors shows

gettext_noop = str  # the name by which collectors of strings know what is to be translated; pure code has no Django

FILE_ERRORS = {
    "empty_file": gettext_noop(
        "The file is empty. Nothing was imported. Export it again and check its size before uploading."
    ),
    "no_rows": gettext_noop(
        "The file has no rows below its header. Nothing was imported. Add rows and upload it again."
    ),
    "no_good_rows": gettext_noop(
        "None of the first %(count)s rows can be read; the first fails in line %(line)s: %(reason)s "
        "Nothing was imported."
    ),
    "no_row_imported": gettext_noop(
        "No row of the file fits. Nothing was imported. Mend the rows listed below and upload the file again."
    ),
    "file_gone": gettext_noop(
        "The uploaded file is no longer on the server's disk. Nothing was imported. Upload it again."
    ),
    "too_large": gettext_noop(
        "The file is larger than %(limit)s MB. Nothing was imported. Split it and upload the parts."
    ),
    "needs_memory": gettext_noop(
        "The file needs more memory than is allowed to read it. Nothing was imported. "
        "Save it as CSV (UTF-8) or JSON Lines, or split it, and upload that."
    ),
    "too_slow_to_read": gettext_noop(
        "The file takes longer than %(limit)s seconds to read. Nothing was imported. "
        "Save it as CSV (UTF-8) or JSON Lines, or split it, and upload that."
    ),
    "reader_ended": gettext_noop(
        "The file cannot be read: it is damaged in a way that has no name here. Nothing was imported. "
        "Open it in the program it comes from, save it as CSV (UTF-8) and upload that."
    ),
    "unknown_type": gettext_noop(
        "The file is %(kind)s, not a dataset. Nothing was imported. Upload a CSV, XLSX, JSONL or JSON file."
    ),
    "html": gettext_noop(
        "The file is a web page (HTML) without a table of two rows or more. Nothing was imported. "
        "Export the answers as CSV, XLSX or JSON and upload that."
    ),
    "broken_html": gettext_noop(
        "The file is a web page (HTML) whose tables cannot be read. Nothing was imported. "
        "Open it in a spreadsheet program and save it as .xlsx."
    ),
    "broken_xls": gettext_noop(
        "The file is a damaged workbook of the old Excel format (.xls). Nothing was imported. "
        "Open it in Excel or LibreOffice, save it as .xlsx and upload that."
    ),
    "too_many_rows": gettext_noop(
        "The table has more than %(limit)s rows, too many for a file of this kind. Nothing was imported. "
        "Save it as CSV (UTF-8) and upload that."
    ),
    "broken_parquet": gettext_noop(
        "The Parquet file is damaged and cannot be read. Nothing was imported. Write it again, or export JSONL."
    ),
    "parquet_too_large": gettext_noop(
        "A group of rows in the Parquet file unpacks to more than %(limit)s MB. Nothing was imported. "
        "Write it with smaller row groups, or export JSONL."
    ),
    "parquet_missing": gettext_noop(
        "This installation cannot read Parquet: the package pyarrow is missing. Nothing was imported. "
        "Export the answers as JSONL or CSV, or ask the operator to install assay[parquet]."
    ),
    "broken_archive": gettext_noop(
        "The archive is damaged and cannot be unpacked. Nothing was imported. "
        "Pack it again, or upload the file itself."
    ),
    "archive_too_large": gettext_noop(
        "Unpacked, the archive is too large to be read safely (limit: %(limit)s). Nothing was imported. "
        "Upload the file itself, or split it."
    ),
    "too_many_members": gettext_noop(
        "The archive holds more than %(limit)s files. Nothing was imported. Upload the dataset itself."
    ),
    "empty_archive": gettext_noop(
        "The archive holds no file. Nothing was imported. Pack the dataset again and upload that."
    ),
    "several_files": gettext_noop(
        "The archive holds several files: %(files)s. Nothing was imported. Choose the one that is the dataset."
    ),
    "unknown_member": gettext_noop(
        "The archive holds no file named %(member)s. Nothing was imported. It holds: %(files)s."
    ),
    "unsafe_archive": gettext_noop(
        "The archive holds an entry that leads out of it: %(member)s. Nothing was imported. "
        "Pack only the dataset itself and upload that."
    ),
    "binary_xlsb": gettext_noop(
        "The file is a binary workbook (.xlsb). Nothing was imported. "
        "Open it in Excel, save it as .xlsx and upload that."
    ),
    "encrypted": gettext_noop(
        "The file is protected by a password. Nothing was imported. Remove the password and upload it again."
    ),
    "undecodable": gettext_noop(
        "Line %(line)s holds bytes that are not %(encoding)s text. Nothing was imported. "
        "Choose another encoding, or save the file as UTF-8 and upload it again."
    ),
    "unknown_encoding": gettext_noop(
        "%(encoding)s is not an encoding that can be read. Nothing was imported. Choose one of: %(encodings)s."
    ),
    "no_delimiter": gettext_noop(
        "The file is text, but its first line has no comma, semicolon, tab or | between columns. "
        "Nothing was imported. Choose the character that separates the columns, or upload CSV, XLSX, JSONL or JSON."
    ),
    "bad_delimiter": gettext_noop(
        "A separator is one character, and no quotation mark or line break. Nothing was imported."
    ),
    "bad_header": gettext_noop(
        "The header in line %(line)s cannot be read: %(reason)s Nothing was imported. Repair that line."
    ),
    "too_many_columns": gettext_noop(
        "The header has more than %(limit)s columns. Nothing was imported. Keep the columns that are needed."
    ),
    "bad_json": gettext_noop(
        "The JSON breaks off or is wrong in line %(line)s, column %(position)s: %(detail)s. Nothing was imported. "
        "Repair it, or export the file again."
    ),
    "too_deep": gettext_noop(
        "The JSON is nested more than %(limit)s levels deep. Nothing was imported. Export the rows as flat objects."
    ),
    "no_objects": gettext_noop(
        "The JSON holds no list of objects. Nothing was imported. "
        'Write it as [{"question": …, "contexts": […], "answer": …}, …].'
    ),
    "column_oriented": gettext_noop(
        "The JSON lists columns, not rows. Nothing was imported. "
        'Export it row by row (in pandas: orient="records") and upload that.'
    ),
    "commented_json": gettext_noop(
        "The JSON has a comment or a comma too many in line %(line)s, column %(position)s; JSON allows neither. "
        "Nothing was imported. Remove the comments and the commas before ] or }, or export the file again."
    ),
    "long_json": gettext_noop(
        "A value of more than %(limit)s characters begins in line %(line)s, column %(position)s of the JSON. "
        "Nothing was imported. Shorten it, or write the rows as JSON Lines (JSONL), one per line."
    ),
    "unknown_array": gettext_noop("The JSON has no list named %(array)s. Nothing was imported. It has: %(arrays)s."),
    "broken_workbook": gettext_noop(
        "The workbook is damaged and cannot be read. Nothing was imported. "
        "Open it in a spreadsheet program, save it as .xlsx again and upload that."
    ),
    "workbook_too_large": gettext_noop(
        "Unpacked, the workbook is too large to be read safely. Nothing was imported. "
        "Save it as CSV (UTF-8), or split it, and upload that."
    ),
    "unknown_sheet": gettext_noop(
        "The workbook has no sheet named %(sheet)s. Nothing was imported. It has: %(sheets)s."
    ),
    "hidden_sheets_only": gettext_noop(
        "Only hidden sheets of the workbook have rows: %(sheets)s. Nothing was imported. "
        "Choose one of them, or show it in a spreadsheet program and upload the workbook again."
    ),
    "unknown_shape": gettext_noop(
        "There is no kind of export named %(shape)s. Nothing was imported. Known kinds: %(shapes)s."
    ),
    "merged_header": gettext_noop(
        "The header in row %(line)s has merged cells, so its columns have no clear names. Nothing was imported. "
        "Unmerge them, give each column one name in one row, fill every row, and upload it again."
    ),
    "missing_column": gettext_noop(
        "No column of the file is chosen for %(column)s. Nothing was imported. "
        "Choose one of the columns found: %(columns)s."
    ),
    "not_mended": gettext_noop(
        "The file is not the table of rows that were not imported. Nothing was imported. "
        "Its first columns must be %(columns)s, as in the table that was downloaded."
    ),
    "bad_mended_row": gettext_noop(
        "Row %(line)s of the mended table cannot be read: %(reason)s. Nothing was imported. Correct it and try again."
    ),
    "unknown_line": gettext_noop(
        "Line %(line)s of the file was imported, so no row can stand for it. Nothing was imported. "
        "Leave the column “line” empty for new rows."
    ),
    "too_large_to_mend": gettext_noop(
        "Files above %(limit)s MB are not mended here. Nothing was imported. "
        "Correct the file itself and upload it as a new version."
    ),
    "nothing_mended": gettext_noop(
        "No row of the table fits yet. Nothing was imported. Correct the rows as their reasons say and try again."
    ),
    "guessed_columns": gettext_noop(
        "The file has no header; what its columns hold suggests %(mapping)s. Nothing was imported. "
        "Check that, and repeat it with --map."
    ),
    "unknown_column": gettext_noop(
        "The column %(name)s, chosen for %(column)s, is not in the file. Nothing was imported. "
        "Choose one of the columns found: %(columns)s."
    ),
    "shown_label": gettext_noop(
        "The column %(name)s is chosen for human labels and for %(column)s. Nothing was imported. "
        "Choose it for one of them: no judge and no expert may see a human label."
    ),
    "no_header": gettext_noop(
        "No column name of the file is known; in a table without a header, the first row was taken for one. "
        "Nothing was imported. Add a header such as id, question, contexts, answer, or choose the columns. "
        "Found: %(columns)s."
    ),
}

FIXABLE = frozenset(
    {
        *("undecodable", "unknown_encoding", "no_delimiter", "bad_delimiter", "bad_header", "too_many_columns"),
        *("no_good_rows", "unknown_sheet", "hidden_sheets_only", "merged_header", "unknown_shape", "unknown_array"),
        *("several_files", "unknown_member"),
    }
)
"""Errors of a file that may go away when a person says how it is to be read: encoding, separator, sheet, file of an
archive. Such a file is kept."""

ROW_PROBLEMS = {
    "too_few_fields": gettext_noop("The row has %(found)s fields where the header has %(expected)s."),
    "too_many_fields": gettext_noop(
        "The row has %(found)s fields where the header has %(expected)s; "
        "a separator inside a text needs quotation marks."
    ),
    "bad_quotes": gettext_noop(
        "A quoted text of the lines %(line)s to %(last)s goes on after its closing quotation mark; "
        "write a quotation mark inside a quoted text twice."
    ),
    "unclosed_quote": gettext_noop(
        "A quotation mark opens in line %(opened)s and is never closed; "
        "the lines %(line)s to %(last)s could not be read."
    ),
    "cut_off": gettext_noop("The file seems to be cut off here: the last row breaks off before its end."),
    "unreadable_rest": gettext_noop(
        "A text or line longer than %(limit)s characters starts here; from here on nothing was read."
    ),
    "row_too_long": gettext_noop("The texts of the row have more than %(limit)s characters together."),
    "cell_too_long": gettext_noop("The text has more than %(limit)s characters."),
    "undecodable": gettext_noop("The text holds bytes that are not %(encoding)s."),
    "bad_character": gettext_noop("The text holds half a character (an unpaired surrogate), which cannot be stored."),
    "bad_json": gettext_noop("The line is not complete JSON, from position %(position)s on: %(detail)s."),
    "several_objects": gettext_noop(
        "The line holds several JSON objects one after the other; write each on a line of its own."
    ),
    "not_an_object": gettext_noop("The row is not a JSON object with named fields."),
    "line_too_long": gettext_noop("The line has more than %(limit)s characters."),
    "too_deep": gettext_noop("The JSON is nested more than %(limit)s levels deep."),
    "not_text": gettext_noop("A text is expected here, but the file has a list or an object."),
    "bad_contexts": gettext_noop(
        "The contexts are neither a text, nor a list of texts, nor a list of objects with a text."
    ),
    "too_many_contexts": gettext_noop("The row has more than %(limit)s contexts."),
    "too_many_claims": gettext_noop("The row has more than %(limit)s claims with a label."),
    "too_many_tags": gettext_noop("The row has more than %(limit)s tags."),
    "bad_claims": gettext_noop(
        "The claims are neither a text, nor a list of texts, nor a list of objects with a text and a label."
    ),
    "claims_and_labels": gettext_noop(
        "The row has %(claims)s claims and %(labels)s labels; each claim needs its own label, or an empty one."
    ),
    "bad_list": gettext_noop("The contexts look like a list that was cut or damaged, so they cannot be told apart."),
    "merged_cells": gettext_noop("The row has merged cells; unmerge them and fill in every row."),
    "repeated_header": gettext_noop("The row repeats the header."),
    "nothing_to_audit": gettext_noop("The row holds neither a question nor an answer nor a context."),
    "no_item": gettext_noop(
        "The row belongs to no question and answer of the export, so there is nothing to audit in it."
    ),
    "no_key": gettext_noop("The row has no %(key)s, so it cannot be joined with the other rows of its answer."),
    "too_many_parts": gettext_noop("More than %(limit)s rows belong to one answer; this one was left out."),
}

WARNINGS = {
    "duplicate_id": gettext_noop(
        "%(rows)s rows share their identifier with another row, for example those in lines %(lines)s. All are here."
    ),
    "duplicate_row": gettext_noop(
        "%(rows)s rows have the same question, contexts and answer as another row, for example those in lines "
        "%(lines)s. All are here."
    ),
    "rows_nul_removed": gettext_noop(
        "NUL characters, which cannot be stored, were removed from %(rows)s rows, for example in lines %(lines)s."
    ),
    "rows_hidden_text": gettext_noop(
        "%(rows)s rows hold invisible characters, or ones that turn the direction of writing, for example in lines "
        "%(lines)s. They are kept: nobody sees them, and a model reads them."
    ),
    "rows_nan": gettext_noop(
        "Cells that say NaN, null or the like are read as empty in %(rows)s rows, for example in lines %(lines)s."
    ),
    "rows_spreadsheet_error": gettext_noop(
        "Cells that show an error of the spreadsheet, such as #NAME?, are read as empty in %(rows)s rows, "
        "for example in lines %(lines)s."
    ),
    "rows_cut_text": gettext_noop(
        "A text of %(rows)s rows, for example in lines %(lines)s, has exactly 32,767 characters, the most that a "
        "spreadsheet's cell holds: it was probably cut off there."
    ),
    "rows_no_context": gettext_noop(
        "%(rows)s rows hold no context, for example those in lines %(lines)s. "
        "Their claims are unscored, never passed."
    ),
    "rows_no_answer": gettext_noop("%(rows)s rows hold no answer, for example those in lines %(lines)s."),
    "guessed_encoding": gettext_noop(
        "The file is not UTF-8 and its encoding was guessed. Check that the texts below read well."
    ),
    "mojibake": gettext_noop(
        "Some texts look wrongly decoded before they were saved here. Check them; nothing is repaired."
    ),
    "header_guessed_missing": gettext_noop(
        "The first row looks like the rows below it, so the file is read as one without a header. "
        "If the first row does name the columns, say so."
    ),
    "escapes": gettext_noop(
        "Some texts hold a backslash and an n. They are kept so; if that stands for a line break, say so."
    ),
    "escapes_read": gettext_noop(
        "Backslashes are read as databases write them: \\n is a line break, \\\\ is one backslash, \\N is no value. "
        "If they are part of the texts, say so."
    ),
    "sep_line": gettext_noop("The first line, sep=%(delimiter)s, only tells spreadsheet programs the separator."),
    "blank_lines": gettext_noop("Blank lines, as in line %(line)s, are passed over."),
    "skipped_rows": gettext_noop("The rows above the header were left out."),
    "named_again": gettext_noop("Line %(line)s names the columns once more and was left out."),
    "other_sheets": gettext_noop("The workbook has other sheets with rows; only one sheet is read."),
    "hidden_sheets": gettext_noop(
        "The workbook has hidden sheets (%(sheets)s). They are not read unless you choose one."
    ),
    "hidden_cells": gettext_noop(
        "The sheet has %(rows)s hidden rows and %(columns)s hidden columns. They are read like the others."
    ),
    "remark_rows": gettext_noop(
        "Rows with a single text that belongs to no item were left out: %(rows)s. Check that they are remarks."
    ),
    "error_cells": gettext_noop(
        "%(count)s cells show an error such as #N/A, the first of them %(cell)s. It is read as that text."
    ),
    "formulas_without_value": gettext_noop(
        "%(count)s formulas have no stored result, the first of them %(cell)s. They are read as empty cells; "
        "open the workbook in a spreadsheet program and save it to have them calculated."
    ),
    "no_header": gettext_noop("No column name is known: the first row may be data instead of a header."),
    "many_columns": gettext_noop("The file has very many columns; only the first ones are listed."),
    "bare_lists": gettext_noop(
        "The contexts look like lists whose texts have no quotation marks, such as [one, another]. They cannot be "
        "told apart, so each cell is read as one context. Export the lists as JSON if they are several."
    ),
    "no_contexts": gettext_noop(
        "None of the first rows has a context, so nothing in them can be supported. "
        "If the contexts stand elsewhere in the file, choose where."
    ),
    "contexts_path": gettext_noop(
        "The contexts are lists of objects, in which no name says where the text is. The longest text in them "
        "is read: %(path)s. If another one is meant, choose it."
    ),
    "contexts_split": gettext_noop(
        "Contexts joined by %(separator)s are read as several: %(count)s of the first rows are split. "
        "If that is wrong, choose that contexts are not split."
    ),
    "unsplit_contexts": gettext_noop(
        "Some cells seem to hold several contexts in one text. They are read as one context, because lists and blank "
        "lines also occur in texts; if they are several, choose how they are split."
    ),
    "joined_contexts": gettext_noop(
        "Contexts joined by | are read as one context, because | also occurs in tables and texts."
    ),
}


def file_error(code: str, **params: object) -> FormatError:
    """A FormatError in the words of FILE_ERRORS; params are texts and numbers, so that they can be stored as JSON."""
    return FormatError(code, FILE_ERRORS[code], **params)


def row_problem(
    line: int, code: str, column: str = "", *, value: Any = "", values: Row | None = None, **params: object
) -> RowProblem:
    """A RowProblem in the words of ROW_PROBLEMS. value: what stands in the cell; values: the row as far as read."""
    params = {"line": line, **params}
    shown = value if isinstance(value, str) else repr(value)
    return RowProblem(line, column, code, ROW_PROBLEMS[code] % params, params, shown[:MOST_SHOWN], values)


def notice(code: str, **params: object) -> Notice:
    """A Notice in the words of WARNINGS; params are texts and numbers, so that they can be stored as JSON."""
    return Notice(code, WARNINGS[code], params)
