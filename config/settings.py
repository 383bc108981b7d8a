"""All settings. Everything that differs between places comes from the environment, read strictly at the top."""

import contextlib
import os
import secrets
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


def _number(name: str, default: int, low: int, high: int) -> int:
    """An integer from the environment within low..high; anything else stops the start with a sentence."""
    raw = env.str(name, default=str(default))
    if not raw.isdecimal() or not low <= int(raw) <= high:
        raise ImproperlyConfigured(f"{name} is {raw!r}; it must be a whole number from {low} to {high}.")
    return int(raw)


def _switch(name: str, default: bool) -> bool:
    """A boolean from the environment: 1/0, true/false, yes/no, on/off."""
    raw = env.str(name, default="1" if default else "0").strip().lower()
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} is {raw!r}; it must be 1 or 0.")


MAIL_SCHEMES = ("smtp", "smtp+tls", "smtp+ssl", "consolemail")


def _mail_server(name: str) -> dict[str, Any]:
    """Django's EMAIL_ settings of an address such as smtp+tls://user:password@host:587; none when it is not set.

    Its words are never repeated in a message: it holds a password.
    """
    url = env.str(name, default="")
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        fits = parts.scheme in MAIL_SCHEMES and (bool(parts.hostname) or parts.scheme == "consolemail")
        fits = fits and parts.port != 0  # reading it fails when it is no number
    except ValueError:
        fits = False
    if not fits:
        raise ImproperlyConfigured(f"{name} must be {', '.join(MAIL_SCHEMES)}, then ://user:password@host:port.")
    found: dict[str, Any] = env.email_url(name)
    return found


def _generated_secret(path: Path) -> str:
    """A secret made once per data folder, readable by its owner alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50), encoding="ascii")
        with contextlib.suppress(FileExistsError):  # another process was first; its secret counts
            path.hardlink_to(draft)  # whole or not at all, for whoever reads it meanwhile
        draft.unlink()
    return path.read_text(encoding="ascii").strip()


# --- Places -----------------------------------------------------------------------------------------------
DATA_DIR = Path(env.str("ASSAY_DATA_DIR", default=str(BASE_DIR / "data"))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)  # customers' texts and keys
MEDIA_ROOT = DATA_DIR / "uploads"  # uploaded files; never served by URL
SIGNING_KEY_FILE = Path(env.str("ASSAY_SIGNING_KEY_FILE", default=str(DATA_DIR / "signing-key.pem")))

# --- Who we are -------------------------------------------------------------------------------------------
ASSAY_NAME = env.str("ASSAY_NAME", default="Assay · 双审")
ASSAY_ORGANISATION = env.str("ASSAY_ORGANISATION", default="")
ASSAY_VERSION = "0.2.0"
ASSAY_PUBLIC_URL = env.str("ASSAY_PUBLIC_URL", default="").rstrip("/")  # what certificates print; else the request's
ASSAY_TIMESTAMP_URL = env.str("ASSAY_TIMESTAMP_URL", default="")  # of an RFC 3161 authority; "": no time stamps
if ASSAY_TIMESTAMP_URL and urlsplit(ASSAY_TIMESTAMP_URL).scheme not in ("http", "https"):
    raise ImproperlyConfigured("ASSAY_TIMESTAMP_URL must begin with http:// or https://.")
ASSAY_COUNTERSIGN_COMMAND = shlex.split(env.str("ASSAY_COUNTERSIGN_COMMAND", default=""))  # []: no second signature

# --- Limits -----------------------------------------------------------------------------------------------
ASSAY_MAX_UPLOAD_MB = _number("ASSAY_MAX_UPLOAD_MB", 2000, 1, 10_000)  # also of what is unpacked of an archive
ASSAY_READ_SECONDS = _number("ASSAY_READ_SECONDS", 20, 1, 600)  # for understanding an upload; more for a large one
ASSAY_LEASE_SECONDS = _number("ASSAY_LEASE_SECONDS", 30, 2, 3600)  # of a worker on a sample
ASSAY_CHUNK_SECONDS = _number("ASSAY_CHUNK_SECONDS", 60, 1, 3600)  # one task works that long, then rings again
ASSAY_REVIEW_LEASE_SECONDS = _number("ASSAY_REVIEW_LEASE_SECONDS", 600, 2, 86_400)
ASSAY_UNDO_SECONDS = _number("ASSAY_UNDO_SECONDS", 120, 0, 86_400)  # how long an expert can take a label back
ASSAY_SWEEP_SECONDS = _number("ASSAY_SWEEP_SECONDS", 2, 1, 600)
ASSAY_CLAIMS_PER_CALL = _number("ASSAY_CLAIMS_PER_CALL", 1, 1, 20)  # of one sample, in one verification call
ASSAY_CALLS_PER_WORKER = _number("ASSAY_CALLS_PER_WORKER", 200, 1, 10_000)  # at once, of all judges together
ASSAY_MAX_TRIES = _number("ASSAY_MAX_TRIES", 5, 1, 20)  # of one vendor call
ASSAY_RETRY_BASE_MS = _number("ASSAY_RETRY_BASE_MS", 500, 1, 60_000)  # first wait after a failure, doubled each time
ASSAY_BATCH_POLL_SECONDS = _number("ASSAY_BATCH_POLL_SECONDS", 60, 1, 3600)  # between two looks at a vendor's batch
ASSAY_CALL_TIMEOUT = _number("ASSAY_CALL_TIMEOUT", 120, 1, 3600)  # seconds of wall clock for one vendor call

# --- Django -----------------------------------------------------------------------------------------------
DEBUG = _switch("ASSAY_DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY", default="") or _generated_secret(DATA_DIR / "secret.key")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "audits",
    "review",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.security.content_security_policy",
    "config.security.no_reversed_text",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.security.small_bodies_from_strangers",
    "config.security.no_nul",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "audits.context.site",
            ],
        },
    },
]

# --- Database ---------------------------------------------------------------------------------------------
DATABASES: dict[str, Any] = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'assay.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE: a deferred transaction that turns into a writer fails at once, whatever the busy timeout.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA temp_store=MEMORY;"
            "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=67108864;PRAGMA cache_size=-20000;"
        ),
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

# --- Background work --------------------------------------------------------------------------------------
# The broker is a doorbell only: work to do is read from the database, so a lost message costs seconds, never work.
REDIS_URL = env.str("REDIS_URL", default="")
CELERY_BROKER_URL = REDIS_URL or "spool://localhost/"
CELERY_BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"socket_connect_timeout": 2, "socket_timeout": 10}
    if REDIS_URL
    else {"folder": str(CELERY_BROKER_DIR), "polling_interval": 0.2}  # config/spool.py
)
if not REDIS_URL:
    CELERY_BROKER_DIR.mkdir(parents=True, exist_ok=True)

# --- People -----------------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = ["config.sign_in.PatientBackend"]
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "sign-in": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "sign-in",
        "OPTIONS": {"MAX_ENTRIES": 100_000},  # a guesser must not push out what is counted
    },
}
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "projects"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- Mail: without a server nothing is sent, and pages tell what a mail would -------------------------------
_mail = _mail_server("ASSAY_EMAIL_URL")
ASSAY_MAIL = bool(_mail)
if ASSAY_MAIL and not ASSAY_PUBLIC_URL:
    raise ImproperlyConfigured("ASSAY_EMAIL_URL needs ASSAY_PUBLIC_URL: without it no mail can say where to read on.")
globals().update(_mail)
EMAIL_TIMEOUT = 10  # seconds; a worker's sweep waits no longer for a server that hangs
_mail_host = urlsplit(ASSAY_PUBLIC_URL).hostname or "localhost"
DEFAULT_FROM_EMAIL = env.str("ASSAY_EMAIL_FROM", default=f"assay@{_mail_host}")

# --- Languages --------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")

# --- Files ------------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["audits.uploads.HashingUploadHandler"]
FILE_UPLOAD_PERMISSIONS = 0o600

# --- Safety -----------------------------------------------------------------------------------------------
SECURE_CSP = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 60 * 60 * 12
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if _switch("ASSAY_HTTPS", False):  # behind a proxy that ends TLS
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000

# --- Logs: one readable line per event on stderr ----------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{", "datefmt": "%H:%M:%S"}
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="WARNING")},
    "loggers": {name: {"level": env.str("LOG_LEVEL", default="INFO")} for name in ("audits", "review", "config")},
}
