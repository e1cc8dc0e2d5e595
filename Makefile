# Everything is installed into VENV, from requirements.lock, once for each state of that file.

PYTHON ?= python3
VENV ?= .venv
# Twice the cores of a small machine: the tests wait for processes more than they compute.
WORKERS ?= 4
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install run test check format snapshots screenshots bench bench-console sql lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Make .venv with the versions that are locked

run: $(INSTALLED) ## Run the demonstration in a scratch home; at a terminal in the console
	@if test -t 0 && test -t 1; then $(BIN)/jobsched-tui --demo; \
	else echo $(BIN)/jobsched demo; $(BIN)/jobsched demo; fi

test: $(INSTALLED) ## Run all tests
	$(BIN)/pytest -n $(WORKERS)

check: $(INSTALLED) ## Verify format, style, types, layers, tests and coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n $(WORKERS) --cov --cov-report=term --cov-fail-under=90

format: $(INSTALLED) ## Format the code and repair what can be repaired by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

snapshots: $(INSTALLED) ## Agree to how the console looks now: git shows what has changed
	JOBSCHED_SNAPSHOTS=1 $(BIN)/pytest -q -n $(WORKERS) tests/tui/test_snapshots.py

screenshots: $(INSTALLED) ## Draw every screen of the console into screenshots/
	$(BIN)/python -m tests.tui.snapshots.draw screenshots

bench: $(INSTALLED) ## Measure the scheduler beside its goals; BENCH_REFERENCE=DIR, ARGS=--help
	$(BIN)/python -m tests.bench --screenshots screenshots $(ARGS)

bench-console: $(INSTALLED) ## Measure the console at 100,000 jobs beside its budget
	$(BIN)/python -m tests.bench.console.measure build

sql: $(INSTALLED) ## Write jobsched/store/sql.py anew, from the statements in jobsched/store/catalogue
	$(BIN)/python -m jobsched.store.catalogue > jobsched/store/sql.py.new
	mv jobsched/store/sql.py.new jobsched/store/sql.py

lock: ## Write requirements.lock anew, with the newest versions that pyproject.toml allows
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet pip-tools
	build/lock/bin/pip-compile --quiet --upgrade --extra dev --generate-hashes --allow-unsafe \
		--strip-extras --no-header --no-emit-options --no-emit-index-url --no-emit-find-links \
		--no-emit-trusted-host --output-file requirements.lock pyproject.toml

clean: ## Remove what the other targets made
	rm -rf .venv build dist htmlcov *.egg-info .coverage* .hypothesis .*_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
