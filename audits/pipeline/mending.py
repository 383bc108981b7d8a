"""Rows that did not fit, mended by hand: with the good rows of their dataset they make a new version of it."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.db import transaction

from audits.formats import child
from audits.formats.merging import Merged
from audits.formats.messages import file_error
from audits.models import Dataset, Event
from audits.pipeline.receiving import reading_of, receive_upload, understand_again
from audits.pipeline.steering import confirm_mapping

MOST_MB = 200  # of a file that is mended while a person waits


def mend(*, dataset: Dataset, file: Any, user: Any) -> tuple[Dataset, Merged]:
    """Import a new version of a dataset, whose file holds its good rows and those of a mended table of errors.

    file: the table of errors as it was downloaded, with its rows corrected. The old version and its audits stay as
    they are. Raises FormatError when the table cannot be taken back, or nothing in it was mended.
    """
    if dataset.path.stat().st_size > MOST_MB << 20 or file.size > MOST_MB << 20:
        raise file_error("too_large_to_mend", limit=MOST_MB)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        table, target = Path(folder) / "table", Path(folder) / _name_for(dataset)
        with table.open("wb") as copy:
            for chunk in file.chunks():
                copy.write(chunk)
        merged = _merged(dataset, table, target)
        with target.open("rb") as handle, transaction.atomic():
            mended = _received(dataset, File(handle, name=target.name), user)
            Event.record(
                "mend", project=dataset.project, actor=user, dataset=mended.pk, of=dataset.pk, **vars(merged)
            )
    return mended, merged


def _merged(dataset: Dataset, table: Path, target: Path) -> Merged:
    options = replace(reading_of(dataset), member=None)
    seconds = settings.ASSAY_READ_SECONDS + 2 * MOST_MB
    mapping = dataset.mapping
    merged = child.merge(dataset.path, options, mapping, mended=table, target=target, seconds=seconds)
    if not merged.mended:
        raise file_error("nothing_mended")
    return merged


def _received(dataset: Dataset, file: Any, user: Any) -> Dataset:
    mended = receive_upload(
        project=dataset.project,
        user=user,
        file=file,
        name=dataset.name,
        generator=dataset.generator,
        previous=dataset,
    )
    if mended.shape:  # the rows are plain by now
        understand_again(dataset=mended, shape="")
    confirm_mapping(dataset=mended, mapping=dataset.mapping, user=user)
    return mended


def _name_for(dataset: Dataset) -> str:
    return f"{Path(dataset.filename).stem[:200]}-v{dataset.version + 1}.jsonl"
