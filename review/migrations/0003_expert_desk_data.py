import uuid
from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery

CHUNK = 1000


def fill(apps: Any, schema_editor: Any) -> None:
    """Every slot gets its code; labels after which the verdicts were shown get their row."""
    slots = apps.get_model("review", "Slot").objects
    batch = []
    for slot in slots.filter(code__isnull=True).only("pk").iterator(chunk_size=CHUNK):
        slot.code = uuid.uuid4()
        batch.append(slot)
        if len(batch) == CHUNK:
            slots.bulk_update(batch, ["code"])
            batch = []
    slots.bulk_update(batch, ["code"])
    revelations = apps.get_model("review", "Revelation").objects
    shown = apps.get_model("review", "Adjudication").objects.filter(revealed=True).values_list("pk", flat=True)
    made = [revelations.model(adjudication_id=pk) for pk in shown.iterator(chunk_size=CHUNK)]
    revelations.bulk_create(made, batch_size=CHUNK)
    given = apps.get_model("review", "Adjudication").objects.filter(pk=OuterRef("adjudication")).values("created")
    revelations.update(created=Subquery(given[:1]))  # they were shown at that moment, not now


class Migration(migrations.Migration):

    dependencies = [
        ("review", "0002_expert_desk"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
