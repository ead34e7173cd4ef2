# Every target sets itself up: a virtual environment of its own, nothing global, no root.
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	&& { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo test check lint types docs bench soak peers browser screenshots clean

$(VENV)/.ready: pyproject.toml src/sesskit/_version.py
	@test -n "$(PYTHON)" || { echo "sesskit needs Python 3.11 or newer on PATH" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Validates and inspects the records in examples/. Damage is found there, so exit code 1 is right.
demo: $(VENV)/.ready
	@$(BIN)/sesskit validate examples; code=$$?; test $$code -eq 1
	@echo
	@$(BIN)/sesskit inspect examples/healthy/night-watch.json

test: $(VENV)/.ready
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not soak and not peers and not browser" --cov --cov-report=term --cov-fail-under=95

check: lint types docs

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready
	$(BIN)/mypy

# Layering, published schemas and generated pages; part of the tests too.
docs: $(VENV)/.ready
	$(BIN)/python -m pytest -q tests/test_layering.py tests/test_docs.py tests/schemas/test_published.py

# Rewrites what is generated: schemas, docs/cli.md, docs/codes.md, the samples in the README.
generate: $(VENV)/.ready
	$(BIN)/python tools/generate.py

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/run.py

soak: $(VENV)/.ready
	$(BIN)/python -m pytest -q -n $(WORKERS) -m soak

# Asks the real programs, as published on npm, what they say of what sesskit writes.
peers: $(VENV)/.ready
	PYTHON=$(BIN)/python tools/peers.sh
	$(BIN)/python -m pytest -q -n $(WORKERS) -m peers

# Looks at pages in headless Chromium; as root it installs Debian's package where there is none.
browser: $(VENV)/.ready
	PYTHON=$(BIN)/python tools/browser.sh
	$(BIN)/python -m pytest -q -n $(WORKERS) -m browser

# Takes the pictures of docs/images from a real run; needs what `make browser` sets up.
screenshots: $(VENV)/.ready
	PYTHON=$(BIN)/python tools/browser.sh
	$(BIN)/python tools/screenshots.py

clean:
	rm -rf $(VENV) .peers .browser .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
