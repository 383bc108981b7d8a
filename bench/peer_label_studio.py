"""Label Studio importing tasks from a JSON file: run by bench.importing with its own Python, prints one JSON line.

Through its API and in its own process, so that no server and no network is measured; on SQLite, in a new data folder.
"""

import json
import os
import sys
import time
from pathlib import Path

CONFIG = """
<View>
  <Text name="question" value="$question"/>
  <Text name="answer" value="$answer"/>
  <Choices name="label" toName="answer"><Choice value="SUPPORTED"/><Choice value="UNVERIFIED"/></Choices>
</View>
"""


def main(file: str) -> None:
    """Make a project, import the file, count its tasks."""
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

    user = User.objects.create_user("bench@example.com", "a-long-password-1")
    organization = Organization.create_organization(created_by=user, title="bench")
    user.active_organization = organization
    user.save()
    project = Project.objects.create(title="bench", created_by=user, organization=organization, label_config=CONFIG)
    client = APIClient()
    client.force_authenticate(user)
    began, used = time.perf_counter(), time.process_time()
    with Path(file).open("rb") as handle:
        response = client.post(f"/api/projects/{project.pk}/import", {"file": handle}, format="multipart")
    found = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    print(json.dumps({**found, "status": response.status_code, "rows": project.tasks.count()}))


if __name__ == "__main__":
    main(sys.argv[1])
