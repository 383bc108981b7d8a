"""The two judges that need no key, shared by all projects."""

from django.db import migrations

MODELS = ("rules", "vector")


def add(apps, schema_editor):
    Judge = apps.get_model("audits", "Judge")
    for model in MODELS:
        Judge.objects.get_or_create(
            project=None, vendor="offline", model=model, base_url="",
            defaults={"price_in": 0, "price_out": 0, "concurrency": 2},
        )


class Migration(migrations.Migration):
    dependencies = [("audits", "0001_initial")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
