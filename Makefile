# What a stranger needs: make run, make test. Everything is installed below .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
# What is imported is compiled once for all processes and runs, outside the work tree.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/compiled
unexport PYTHONDONTWRITEBYTECODE

# uv is ten times faster; pip knows the mirrors and certificates of pip's own configuration, so it has the last word.
install = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install -q --system-certs --require-hashes -r $(1) 2>/dev/null \
	|| $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(1)

.PHONY: run test setup check bench services browser screenshots messages lock clean help

help:           ## this list
	@grep -E '^[a-z]+: .*##|^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | sort

run: $(VENV)/.runtime  ## everything: database, sample data, web server, worker; stays in the foreground
	@$(BIN)/python manage.py up --port $(PORT)

setup: $(VENV)/.dev  ## .venv with everything that is needed to work on Assay

test: $(VENV)/.dev  ## the tests, on SQLite, without a browser or a service
	@env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -n 2

services: $(VENV)/.dev  ## the same tests and those of real workers, on PostgreSQL and Redis (DATABASE_URL, REDIS_URL)
	@$(BIN)/python -m pytest -m "not browser" -n 2

browser: $(VENV)/.dev  ## the three journeys in Chromium, in both languages
	@$(BIN)/python -m pytest -m browser tests/browser

check: $(VENV)/.dev  ## style, types, templates, architecture, migrations, translations
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .
	@$(BIN)/djlint templates --lint --quiet
	@$(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python -m pytest -p no:cacheprovider tests/test_architecture.py tests/test_translations.py

bench: $(VENV)/.dev  ## one JSON line per bench; NAME=… for one of them
	@$(BIN)/python -m bench $(NAME)

screenshots: $(VENV)/.dev  ## docs/screenshots from a running demo in Chromium
	@$(BIN)/python docs/make_screenshots.py

messages: $(VENV)/.dev  ## collect strings into locale/ (needs gettext) and compile them
	@$(BIN)/python manage.py makemessages -l zh_Hans --no-location --no-obsolete -i .venv -i data -i tests
	@$(BIN)/python manage.py compilemessages -l zh_Hans -i .venv

lock: $(VENV)/.uv  ## write the locks anew from pyproject.toml
	@$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --extra parquet pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --extra parquet --extra dev pyproject.toml -o requirements-dev.lock

$(VENV)/.uv: requirements-uv.lock
	@$(PYTHON) -c 'import sys; sys.exit("Assay needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@touch $@

$(VENV)/.runtime: requirements.lock $(VENV)/.uv
	@echo "Installing what Assay needs into $(VENV) …"
	@$(call install,requirements.lock)
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing the tools for working on Assay into $(VENV) …"
	@$(call install,requirements-dev.lock)
	@touch $@

clean:          ## remove caches (the data folder stays)
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis $(VENV)/compiled
