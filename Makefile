# make site   build the sample workspace and say which address to open
# make test   run everything: lint, types, import contracts, all tests
# make help   the rest
#
# All paths are relative, so a checkout in a folder with spaces works.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
PORT ?= 8000
OUT ?= build/workspace
TESTS ?= tests
BENCH ?=

# Tests start the command thousands of times: it may keep its compiled modules, whatever this shell says.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help site test check lint unit bench reqs assets programs constraints clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

# ---------------------------------------------------------------- environment: one stamp file per set of packages

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "==> virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module did not work; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.installed: $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	@echo "==> installing brainpress"
	@mkdir -p site_templates/dist blueprints
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "==> installing the tools for tests and checks"
	@$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	@echo "==> installing the programs to compare with"
	@$(PIP) --editable '.[dev,bench]'
	@touch $@

# ---------------------------------------------------------------- browser assets

assets: $(VENV)/.installed ## build the browser code and styles from site_templates/
	@said=$$($(PY) site_templates/build.py 2>&1) || { echo "$$said" >&2; exit 1; }

# ---------------------------------------------------------------- the product

site: $(VENV)/.installed assets ## build the sample workspace and say which address to open
	@echo "==> building the sample workspace"
	@$(PY) -m indexer build brains --out $(OUT)
	@echo
	@echo "Done. Serve it with"
	@echo
	@echo "    $(PY) -m http.server $(PORT) --bind 127.0.0.1 --directory $(OUT)"
	@echo
	@echo "and open"
	@find $(OUT) -path '*/site/index.html' | sort | sed -E 's#^$(OUT)/(.*)index.html$$#    http://127.0.0.1:$(PORT)/\1#'

# ---------------------------------------------------------------- checks and tests

lint: $(VENV)/.installed-dev assets
	@echo "==> ruff"
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || { echo "some files are not formatted; run: $(PY) -m ruff format" >&2; exit 1; }
	@echo "==> mypy"
	@$(PY) -m mypy --no-error-summary
	@echo "==> types of the browser code"
	@said=$$($(PY) site_templates/build.py --check 2>&1) || { echo "$$said" >&2; exit 1; }
	@echo "==> import contracts"
	@said=$$($(VENV)/bin/lint-imports --no-logo 2>&1) || { echo "$$said" >&2; exit 1; }

unit: $(VENV)/.installed-dev assets
	@echo "==> tests without browser"
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile --ignore=tests/e2e --ignore=tests/bench tests

check: lint unit ## ruff, mypy, import contracts, unit tests

test: lint assets programs ## everything, with real git, real MkDocs and a real browser
	@echo "==> all tests"
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile --durations=15 --durations-min=20 $(TESTS)

# Debian's browser, servers and database are installed where that is possible without asking, and none of them is started; elsewhere the
# tests that need one are skipped and say what to do.
programs:
	@missing=""; \
	command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 \
		|| [ -n "$$BRAINPRESS_CHROMIUM" ] || missing="chromium"; \
	command -v caddy >/dev/null 2>&1 || missing="$$missing caddy"; \
	{ command -v nginx || ls /usr/sbin/nginx; } >/dev/null 2>&1 || missing="$$missing nginx"; \
	{ command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
		policy=/usr/sbin/policy-rc.d; \
		if [ -e $$policy ]; then policy=""; else printf '#!/bin/sh\nexit 101\n' >$$policy; chmod +x $$policy; trap 'rm -f $$policy' EXIT INT TERM; fi; \
		apt-get update -qq >/dev/null 2>&1 || true; \
		for package in $$missing; do \
			echo "==> installing $$package"; \
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$package >/dev/null 2>&1 \
				|| echo "$$package could not be installed; the tests that need it will be skipped" >&2; \
		done; \
	elif [ -n "$$missing" ]; then \
		for package in $$missing; do \
			echo "no $$package found; the tests that need it will be skipped (install the package $$package)" >&2; \
		done; \
	fi

reqs: $(VENV)/.installed-dev ## every requirement with the tests that prove it
	@$(PY) -m tests.reqs

bench: $(VENV)/.installed-bench assets ## speed and memory beside MkDocs, Zensical and Hugo (takes long; BENCH="--runs 1 --only generated" for less)
	@$(PY) -m tests.bench $(BENCH)

constraints: ## write constraints.txt anew from the newest versions that pyproject.toml allows
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	@build/constraints/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@{ sed -n '/^#/p' constraints.txt; build/constraints/bin/python -m pip freeze --exclude-editable; } >build/constraints.txt
	@mv build/constraints.txt constraints.txt && rm -rf build/constraints
	@echo "constraints.txt is new; run make test before you commit it"

clean: ## remove what make made
	@rm -rf $(VENV) build site_templates/dist site_templates/node_modules
