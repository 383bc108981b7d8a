"""What the tests of a dataset's pages send."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from audits.models import Dataset, Project

GOOD = "id,question,contexts,answer\n1,What is the fee?,The fee is 2 %.,It is 2 %.\n2,When?,,Yearly.\n"
CHINESE = "编号,问题,参考证据,回答\n1,贷款年利率是多少？,贷款年利率为百分之四点二。,年利率为百分之四点二。\n"


def upload(browser: Any, project: Project, content: str | bytes = GOOD, name: str = "loans.csv", **more: Any) -> Any:
    """Send a file of this name to the page that takes one. title: the dataset's name."""
    data = content if isinstance(content, bytes) else content.encode()
    body = {"name": more.pop("title", ""), "file": SimpleUploadedFile(name, data)} | more
    return browser.post(reverse("dataset_new", args=[project.slug]), body)


def at(name: str, dataset: Dataset) -> str:
    """The address of a page of a dataset."""
    return reverse(name, args=[dataset.project.slug, dataset.pk])


def chosen(**changed: Any) -> dict[str, Any]:
    """What the form of the columns sends for GOOD."""
    return {"id": "id", "question": "question", "contexts": ["contexts"], "answer": "answer"} | changed
