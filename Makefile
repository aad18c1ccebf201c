# The project's commands. They need python3 (3.11 or newer) with its venv module, make and git, and nothing else;
# packages come from wherever pip is configured to look. Each is quick the second time.
#
#   make test PYTHON=python3.13 VENV=.venv-3.13    another interpreter, in an environment of its own
#   make test PYTEST='-k forkserver -x'            a part of the tests

PYTHON ?= python3
VENV ?= .venv
PYTEST ?=

OLDEST_PYTHON := 3.11
comma := ,
IN_VENV := $(VENV)/bin/python
INSTALL := $(IN_VENV) -m pip install --quiet --disable-pip-version-check --editable

# Programs and modules that the benchmarks use; every other script in the folder is a benchmark.
BENCHMARK_PARTS := bare_server.py fresh_child.py seed_fixture.py
BENCHMARKS := $(filter-out $(addprefix benchmarks/,$(BENCHMARK_PARTS)),$(wildcard benchmarks/*.py))
GENERATORS := $(wildcard tools/*.py)

.DELETE_ON_ERROR:
.PHONY: help demo test unit lint ruff format-check mypy layers generated generate format bench clean

help:
	@echo 'make demo      run the shipped example and explain its report'
	@echo 'make test      run all tests'
	@echo 'make unit      run the tests that start no process'
	@echo 'make lint      style, types, layers, generated files'
	@echo 'make format    lay out the code and repair what ruff can'
	@echo 'make generate  write the generated files anew'
	@echo 'make bench     measure, and fail where a ratio is over its limit'
	@echo 'make clean     remove the environment and everything that was made'

demo: $(VENV)/.package
	@$(VENV)/bin/evalgate-sql demo

test: $(VENV)/.dev
	$(IN_VENV) -m pytest $(PYTEST)

unit: $(VENV)/.dev
	$(IN_VENV) -m pytest tests/unit tests/property $(PYTEST)

# `make -k lint` goes on after the first that fails.
lint: ruff format-check mypy layers generated

ruff: $(VENV)/.dev
	$(IN_VENV) -m ruff check .

format-check: $(VENV)/.dev
	$(IN_VENV) -m ruff format --check .

mypy: $(VENV)/.dev
	$(IN_VENV) -m mypy

layers: $(VENV)/.dev
	$(VENV)/bin/lint-imports

# Every program in tools/ writes something that is committed, and compares instead with --check.
generated: $(VENV)/.dev
	@for tool in $(GENERATORS); do echo "$$tool --check"; $(IN_VENV) $$tool --check || exit 1; done

generate: $(VENV)/.dev
	@for tool in $(GENERATORS); do echo "$$tool"; $(IN_VENV) $$tool || exit 1; done

format: $(VENV)/.dev
	$(IN_VENV) -m ruff check --fix .
	$(IN_VENV) -m ruff format .

bench: $(VENV)/.package
	@failed=0; for script in $(BENCHMARKS); do \
	    echo "$$script"; $(IN_VENV) $$script || { echo "$$script: failed" >&2; failed=1; }; \
	done; exit $$failed

clean:
	rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf *.egg-info src/*.egg-info

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < ($(subst .,$(comma),$(OLDEST_PYTHON))))' || { \
	    echo "evalgate-sql needs Python $(OLDEST_PYTHON) or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; \
	    echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "No virtual environment could be made. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.package: $(VENV)/.created pyproject.toml
	@echo "Installing evalgate-sql into $(VENV)"
	@$(INSTALL) .
	@touch $@

$(VENV)/.dev: $(VENV)/.created pyproject.toml
	@echo "Installing evalgate-sql and its development tools into $(VENV)"
	@$(INSTALL) '.[dev]'
	@touch $(VENV)/.package $@
