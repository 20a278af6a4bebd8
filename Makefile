# Branchline: `make` or `make help` lists what can be done.
# Everything is installed into .venv in this folder; nothing global is touched.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BENCH_VENV := .venv-bench
SITE_VENV := .venv-site
STAMPS := .stamps
PY := $(VENV)/bin/python
# The first Python of at least 3.11; override with `make PYTHON=…`.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$p && break; done)
NATIVE := CMakeLists.txt pyproject.toml \
	$(shell find native/include native/kernels native/bindings -name '*.?pp')
PIP := $(PY) -m pip --disable-pip-version-check --quiet
# Tools that the build runs (cmake, ninja) are taken from the local environment.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# Compiled Python files are kept, whatever the shell says: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup build demo test tour walk studio browser lint format type imports stub docstrings compilers sanitize fuzz bench charts docs site wheel sdist clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMPS)/installed ## Make the local environment and install what is needed

build: $(STAMPS)/built ## Compile the native core and install the package for development

demo: build ## Run the main job on bundled data
	@echo "-- demo: which model for German credit, how good really, and why"
	@$(PY) examples/demo.py

test: build browser ## Run all tests (a few minutes)
	@echo "-- native tests"
	@$(MAKE) --no-print-directory $(STAMPS)/native-tests
	@echo "-- Python tests"
	@$(PY) -m pytest -q -n auto --dist worksteal tests src/branchline --doctest-modules

tour: build ## Run one call to everything, in seconds
	@$(PY) -m pytest -q tests/test_tour.py

walk: build ## Every learner on every bundled data set
	@$(PY) -m branchline.catalog

studio: setup ## Build the studio's page (needs Node 20 and npm; users do not)
	@command -v npm >/dev/null 2>&1 || { echo "Building the page needs Node 20 with npm."; exit 1; }
	@cd studio && npm ci --silent --no-audit --no-fund && npm run --silent build
	@$(PY) tools/studio.py --write

# The tests of the studio look for a browser. Where one can be installed quietly, it is.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && echo "-- installing chromium" && \
	{ apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1; } || \
	echo "-- NO BROWSER: the tests of the studio in a browser will be skipped (install chromium)"

lint: setup ## Check style and format
	@echo "-- ruff, clang-format"
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@find native -name '*.cpp' -o -name '*.hpp' | xargs $(VENV)/bin/clang-format --dry-run --Werror
	@echo "-- words, rooms"
	@$(PY) tools/words.py
	@$(PY) tools/rooms.py

# The package must be compiled for this one: the others only read files.
docstrings: build ## Check that the reference has examples, defaults and See Also
	@$(PY) tools/docstrings.py

format: setup ## Format all code
	@$(VENV)/bin/ruff check --fix . && $(VENV)/bin/ruff format .
	@find native -name '*.cpp' -o -name '*.hpp' | xargs $(VENV)/bin/clang-format -i

type: build ## Check types
	@echo "-- mypy"
	@$(VENV)/bin/mypy

imports: build ## Check that imports point one way
	@echo "-- import-linter"
	@$(VENV)/bin/lint-imports

stub: build ## Write src/branchline/_core.pyi anew from the compiled module
	@$(PY) tools/stub.py --write

compilers: setup ## Compile the core, warnings as errors, and run its tests
	@bash tools/compilers.sh

sanitize: setup ## Native and unit tests under ASan + UBSan, native tests under TSan
	@bash tools/sanitize.sh

fuzz: build ## Damaged files, random estimators on random tables, ten times the examples (long)
	@cd tests && ../$(PY) -m fuzz.model_files --mutants 20000 --seed 1
	@cd tests && ../$(PY) -m fuzz.model_pickles --mutants 5000 --seed 1
	@cd tests && ../$(PY) -m fuzz.data_files --mutants 5000 --seed 1
	@cd tests && ../$(PY) -m fuzz.estimators --seconds 300 --seed 1
	@cd tests && ../$(PY) -m fuzz.row_order --tables 200 --seed 1
	@cd tests && ../$(PY) -m fuzz.labelings --tables 200 --seed 1
	@HYPOTHESIS_PROFILE=fuzz $(PY) -m pytest -q -n auto --dist worksteal -m hypothesis tests

bench: $(STAMPS)/bench ## Compare speed and accuracy with the peers (5 minutes; SIZE=all: hours)
	@$(BENCH_VENV)/bin/python -m benchmarks $(if $(filter all,$(SIZE)),,--short)

charts: build ## Draw the figures of docs/charts.md anew
	@$(PY) tools/charts.py

docs: build ## Write the generated pages of docs/ anew
	@$(PY) tools/docs.py --write

site: $(STAMPS)/site ## Build the manual as a folder of pages: build/site/index.html (minutes, once)
	@rm -rf build/site
	@$(SITE_VENV)/bin/python -m sphinx --fail-on-warning --keep-going --quiet -j 2 -b html \
	  -d build/site-cache docs build/site
	@$(SITE_VENV)/bin/python tools/site_check.py build/site
	@echo "-- open build/site/index.html"

wheel: $(STAMPS)/installed $(STAMPS)/compiler ## Build a wheel in dist/ and test it in an empty environment without a compiler
	@mkdir -p dist
	@$(PY) -m pip --disable-pip-version-check --quiet wheel . --no-deps --no-build-isolation \
	  --wheel-dir dist --config-settings=build-dir=build/wheel
	@$(PY) tools/release.py wheel dist

sdist: $(STAMPS)/installed $(STAMPS)/compiler ## Build the source distribution in dist/, and a wheel from it
	@$(PY) tools/release.py sdist dist

clean: ## Remove the environments and everything that was built
	rm -rf $(VENV) $(BENCH_VENV) $(SITE_VENV) docs/gallery docs/reference/api build $(STAMPS) .pytest_cache .mypy_cache .ruff_cache .hypothesis

# -- what the verbs need ----------------------------------------------------------------------

$(STAMPS)/installed: pyproject.toml tools/requirements.py
	@test -n "$(PYTHON)" || { echo "Branchline needs Python 3.11 or newer: install it (Debian, \
	Ubuntu: sudo apt-get install python3.11 python3.11-venv) and run make again."; exit 1; }
	@echo "-- setting up $(VENV) (about a minute, once)"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) tools/requirements.py > build-requirements.txt
	@$(PIP) install -r build-requirements.txt; status=$$?; rm -f build-requirements.txt; exit $$status
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/compiler:
	@command -v $${CXX:-c++} >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || \
	{ echo "GCC was not found: install it (Debian, Ubuntu: sudo apt-get install g++; Fedora: \
	sudo dnf install gcc-c++; macOS: brew install gcc, then CXX=g++-14) and run make again."; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

# The editable install remembers where each file is: it is renewed when files come, go or move.
$(STAMPS)/files: FORCE
	@mkdir -p $(STAMPS) && find src -name '*.py' | sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

FORCE:

$(STAMPS)/built: $(STAMPS)/compiler $(STAMPS)/installed $(STAMPS)/files $(NATIVE)
	@echo "-- compiling the native core"
	@$(PIP) install --no-build-isolation --no-deps --editable . \
	--config-settings=cmake.define.BRANCHLINE_WARNINGS_AS_ERRORS=ON
	@touch $@

$(STAMPS)/native-tests: $(STAMPS)/built $(NATIVE) $(wildcard native/tests/*)
	@folder=$$(ls -td build/cp*/ | head -1); \
	ninja -C $$folder native_tests > build/native-tests.log || { cat build/native-tests.log; exit 1; }; \
	$$folder/native_tests
	@touch $@

# The peers' environment holds a copy of the package, which must not be older than its source.
$(STAMPS)/bench: $(STAMPS)/built benchmarks/requirements.txt $(shell find src -name '*.py')
	@echo "-- setting up $(BENCH_VENV) with the peers (minutes, once)"
	@test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	@$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
	  -r benchmarks/requirements.txt
	@$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
	  --config-settings=build-dir=build/bench .
	@touch $@

# The site's environment holds Sphinx; the package comes from the development environment.
$(STAMPS)/site: $(STAMPS)/built docs/requirements.txt
	@echo "-- setting up $(SITE_VENV) with Sphinx"
	@test -x $(SITE_VENV)/bin/python || $(PY) -m venv $(SITE_VENV)
	@$(SITE_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
	  -r docs/requirements.txt
	@$(SITE_VENV)/bin/python tools/link_environment.py $(VENV)
	@touch $@
