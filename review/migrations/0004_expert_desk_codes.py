import uuid

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("review", "0003_expert_desk_data"),
    ]

    operations = [
        migrations.RemoveField(model_name="adjudication", name="revealed"),
        migrations.AlterField(
            model_name="slot",
            name="code",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
    ]
