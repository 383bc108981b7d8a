"""The first start in an empty data folder, by several processes at once."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_processes_that_start_together_share_one_new_database_and_secret(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    environment |= {"ASSAY_DATA_DIR": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    panel = ["--primary", "offline:rules", "--secondary", "offline:vector", "--json"]
    command = [sys.executable, "manage.py", "audit", str(tmp_path / "nothing.csv"), *panel]
    started = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for process in started:
        said = process.communicate(timeout=120)[1]
        assert (process.returncode, "nothing.csv cannot be read" in said) == (2, True), said
    assert [path.name for path in (tmp_path / "data").glob("secret.key*")] == ["secret.key"]
