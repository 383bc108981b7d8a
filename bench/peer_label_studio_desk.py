"""Label Studio with tasks to label: run by bench.desk_label_studio with its own Python, prints one JSON line.

On SQLite in the data folder of the environment; its server is started on the same folder afterwards.
"""

import json
import os
import sys
from pathlib import Path

CONFIG = """
<View>
  <Header name="claim" value="$claim"/>
  <Text name="context" value="$context"/>
  <Choices name="label" toName="context" choice="single" required="true">
    <Choice value="SUPPORTED"/><Choice value="CONTRADICTED"/><Choice value="UNVERIFIED"/>
  </Choices>
</View>
"""


def main(file: str, email: str, password: str) -> None:
    """Make a person and a project, import the tasks of the file."""
    import label_studio

    sys.path.insert(0, str(Path(label_studio.__file__).parent))
    os.environ["DJANGO_SETTINGS_MODULE"] = "core.settings.label_studio"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from organizations.models import Organization
    from projects.models import Project
    from rest_framework.test import APIClient
    from users.models import User

    user = User.objects.create_user(email, password)
    organization = Organization.create_organization(created_by=user, title="bench")
    user.active_organization = organization
    user.save()
    project = Project.objects.create(title="bench", created_by=user, organization=organization, label_config=CONFIG)
    client = APIClient()
    client.force_authenticate(user)
    with Path(file).open("rb") as handle:
        client.post(f"/api/projects/{project.pk}/import", {"file": handle}, format="multipart")
    print(json.dumps({"project": project.pk, "tasks": project.tasks.count()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
