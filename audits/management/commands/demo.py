"""The sample project: people, datasets with human labels, two audits by the offline judges. Safe to run again."""

import json
import secrets
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.files import File
from django.core.management.base import BaseCommand
from django.db import transaction

from audits import pipeline
from audits.models import Dataset, Judge, Membership, Project, Role
from audits.sample_datasets import FOLDER

# First the labelled ones: a mapping without labels that the project remembers would be taken for them as it is.
LABELLED = ("finance.en.jsonl", "law.zh.jsonl")
AUDITED = ("insurance-zh.jsonl", "loan-desk.csv")
SLUG = "sample"
PEOPLE = {"analyst": Role.ANALYST, "expert": Role.EXPERT, "manager": Role.MANAGER}
ADMINISTRATOR = "admin"


class Command(BaseCommand):
    """manage.py demo"""

    help = "Makes the sample project and its logins, once; prints the logins every time."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make what is missing, then print the logins."""
        logins = self._logins()
        project = Project.objects.filter(slug=SLUG).first()
        created = project is None
        if project is None:
            project = Project.objects.start(
                slug=SLUG, name="Sample · 示例", client="Example Bank", system="Loan assistant", user=None
            )
        with transaction.atomic():
            for name, password in logins.items():
                self._person(project, name, password)
        if created or not project.datasets.exists():
            for name in LABELLED:
                self._import(project, FOLDER / name)
            for name in AUDITED:
                self._audit(project, self._import(project, FOLDER / name))
        self.stdout.write("\n  Logins of the sample project:")
        for name, password in logins.items():
            self.stdout.write(f"    {name:<10} {password}")

    def _logins(self) -> dict[str, str]:
        """Name and password of each; made on the first run, kept beside the database, readable by its owner alone."""
        path = settings.DATA_DIR / "sample-logins.json"
        if not path.exists():
            logins = {name: secrets.token_urlsafe(12) for name in (*PEOPLE, ADMINISTRATOR)}
            path.touch(mode=0o600)
            path.write_text(json.dumps(logins, indent=2), encoding="utf-8")
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _person(self, project: Project, name: str, password: str) -> None:
        users = get_user_model().objects
        user = users.filter(username=name).first()
        if user is None:
            make = users.create_superuser if name == ADMINISTRATOR else users.create_user
            user = make(name, password=password)
        if name in PEOPLE:
            Membership.objects.give(project=project, user=user, role=PEOPLE[name], by=None)

    def _import(self, project: Project, file: Path) -> Dataset:
        user = get_user_model().objects.get(username="analyst")
        with file.open("rb") as handle:
            dataset = pipeline.receive_upload(project=project, user=user, file=File(handle, name=file.name))
        pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=user)
        while not pipeline.import_dataset(dataset.pk, seconds=60):
            pass
        dataset.refresh_from_db()
        return dataset

    def _audit(self, project: Project, dataset: Dataset) -> None:
        rules, vector = (Judge.objects.get(project=None, vendor="offline", model=m) for m in ("rules", "vector"))
        pipeline.start_audit(
            project=project,
            dataset=dataset,
            user=dataset.created_by,
            name=dataset.name,
            extractor=rules,
            judges=[rules, vector],
            threshold=Decimal("0.05"),
            spot_check_size=20,
        )
