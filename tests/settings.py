"""The product's settings for tests: files, broker and keys of a run live in a folder of their own."""

import os
import tempfile

# Read by the settings when they are imported, so it is set here and not in conftest, which comes later.
if "ASSAY_TEST_DATA_DIR" not in os.environ:  # the processes of one run share a folder
    os.environ["ASSAY_TEST_DATA_DIR"] = tempfile.mkdtemp(prefix="assay-tests-")
os.environ["ASSAY_DATA_DIR"] = os.environ["ASSAY_TEST_DATA_DIR"]
for name in list(os.environ):  # a developer's own keys and addresses must not reach a test
    if name.startswith(("OPENAI_", "ANTHROPIC_", "DEEPSEEK_", "DASHSCOPE_")):
        del os.environ[name]

from config.settings import *  # noqa: E402, F403

STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast
ASSAY_RETRY_BASE_MS = 1
