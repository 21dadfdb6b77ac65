# Every target sets up what it needs: a virtual environment in .venv, from Python >= 3.11 alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test test-bounds test-lowest test-slow fuzz fuzz-limits fuzz-mutants lint bench bench-selection bench-margin bench-frontier bench-several bench-answers bench-size bench-unseen bench-losses study docs dist browser clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "frugalsvm needs Python >= 3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cli,report]'
	@touch $@

$(VENV)/.test $(VENV)/.dev $(VENV)/.docs $(VENV)/.dist: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(patsubst .%,%,$(@F))]'
	@touch $@

demo: $(VENV)/.core ## Find the cheapest measurements of the breast-cancer data
	$(BIN)/python -m frugalsvm.cli.demo

test: $(VENV)/.test ## Run the tests that take minutes
	$(BIN)/python -m pytest -m "not slow" -n 2 --doctest-modules src tests

test-bounds: $(VENV)/.test ## Run the tests with kernels that check the bounds of their arrays
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/bounds-checked $(BIN)/python -m pytest -m "not slow" -n 2 tests

test-lowest: ## Run a part of the tests with the lowest versions that pyproject.toml admits
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/lowest/bin/uv pip install --quiet --python build/lowest/bin/python --resolution lowest-direct -e '.[test]'
	NUMBA_CACHE_DIR=$(CURDIR)/build/lowest/kernels build/lowest/bin/python -m pytest -m "not slow" -n 2 -W ignore::DeprecationWarning \
		tests/core tests/estimators tests/tabular tests/models tests/cli tests/report tests/unseen tests/frontier tests/test_export.py tests/test_modelfile.py

test-slow: $(VENV)/.test ## Run the longer tests too
	$(BIN)/python -m pytest -n 2 --doctest-modules src tests

fuzz: $(VENV)/.test ## Look for wrong answers with the fuzzer; ARGS=--selection=100 for fewer
	$(BIN)/python -m fuzz $(ARGS)

fuzz-limits: $(VENV)/.test ## Measure how time limits and Ctrl-C are kept
	$(BIN)/python -m fuzz limits $(ARGS)

fuzz-mutants: $(VENV)/.test ## See whether the fuzzer notices bugs put in on purpose
	$(BIN)/python -m fuzz mutants $(ARGS)

lint: $(VENV)/.dev ## Check style and types
	$(BIN)/ruff format --check src tests benchmarks fuzz examples docs/*.py docs/_extensions
	$(BIN)/ruff check src tests benchmarks fuzz examples docs/*.py docs/_extensions
	$(BIN)/mypy

bench: bench-selection bench-margin bench-frontier bench-several bench-answers bench-unseen ## Run all benchmarks

bench-selection: $(VENV)/.dev ## Time the selection against Gurobi, HiGHS and SCIP
	$(BIN)/python benchmarks/selection.py --output benchmarks/results/selection.json $(ARGS)

bench-margin: $(VENV)/.dev ## Time the training against CPLEX and SCIP
	$(BIN)/python benchmarks/margin.py --rivals cplex scip --out benchmarks/results/margin.json $(ARGS)

bench-frontier: $(VENV)/.dev ## Time the frontier against its hardest single target
	$(BIN)/python benchmarks/frontier.py --out benchmarks/results/frontier.json $(ARGS)

bench-several: $(VENV)/.dev ## Measure one panel for several classes
	$(BIN)/python benchmarks/several.py --out benchmarks/results/several.json $(ARGS)

bench-answers: $(VENV)/.dev ## Compare answers with what RFE, L1, forward selection and a greedy find; takes hours
	$(BIN)/python benchmarks/answers.py --set measure --out benchmarks/results/answers.json $(ARGS)

bench-size: $(VENV)/.dev ## Measure selection and training on a million rows and on 100,000 features; takes an hour
	$(BIN)/python benchmarks/size.py --seed 11 --out benchmarks/results/size.json $(ARGS)

bench-unseen: $(VENV)/.dev ## Measure rates on unseen samples, and certificates; takes hours
	$(BIN)/python benchmarks/unseen.py --set test --splits 50 --out benchmarks/results/unseen.json --figure docs/images/unseen.png $(ARGS)
	$(BIN)/python benchmarks/unseen_certificate.py --out benchmarks/results/unseen-certificate.json

bench-losses: $(VENV)/.dev ## Time smooth losses under rate constraints, against others' optima
	$(BIN)/python benchmarks/losses.py --out benchmarks/results/losses.json --page docs/losses.md $(ARGS)

study: $(VENV)/.test ## Repeat the paper's experiments; ARGS=--quick for a short one
	$(BIN)/python -m frugalsvm.study $(ARGS)

docs: $(VENV)/.docs ## Build the documentation in docs/_build/html; ARGS="-D plot_gallery=0" without running the examples
	$(BIN)/python -m frugalsvm.cli compile
	$(BIN)/python -m sphinx -b html -W --keep-going $(ARGS) docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

dist: $(VENV)/.dist ## Build wheel and sdist, check them, and run the demo from the wheel in an empty environment
	rm -rf dist build/empty
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[cli,report]"
	cd build/empty && bin/frugalsvm --version && bin/frugalsvm demo

browser: ## Install the browser that the report's tests drive (Debian)
	apt-get update -qq && apt-get install -y -qq chromium chromium-driver

clean: ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist docs/_build docs/api docs/gallery
