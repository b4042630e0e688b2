# simcore: everything a newcomer or a contributor types.
#
#   make dsr                     build, then run the DSR example
#   make test                    build, then run the tests
#   make PYTHON=python3.13 VENV=.venv313 test
#
# All targets work on a fresh Debian or Ubuntu with Python 3.11 or newer and a C compiler.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
SOURCES := $(shell find simcore models examples -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi')

# cython-lint calls pycodestyle by name.
export PATH := $(abspath $(BIN)):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help build dsr test validate lint types bench microbench docs wheel clean check-system

help:
	@echo "make dsr       build, then run the DSR example"
	@echo "make test      run the tests"
	@echo "make validate  run the slow comparisons with independent numbers"
	@echo "make lint      ruff, cython-lint, mypy"
	@echo "make bench     compare with peers: one table (some ten minutes; profiling/README.md)"
	@echo "make microbench  pytest-benchmark's tables of all benchmarks"
	@echo "make docs      build the documentation into site/"
	@echo "make wheel     build a wheel into dist/"
	@echo "make clean     remove what was built (not $(VENV))"
	@echo "PYTHON=python3.13 VENV=.venv313 choose the interpreter and its environment"

$(STAMPS)/venv:
	@PYTHON="$(PYTHON)" sh tools/check_system.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip "setuptools>=77" "cython>=3.1"
	@mkdir -p $(STAMPS) && touch $@

# One compilation only, by `build`: pip installs the packages, not the extensions.
define install
	SIMCORE_EXTENSIONS=0 $(BIN)/python -m pip install -q --no-build-isolation -e '.$(1)'
	@touch $@
endef

$(STAMPS)/installed: $(STAMPS)/venv pyproject.toml
	$(call install,)

$(STAMPS)/test: $(STAMPS)/venv pyproject.toml
	$(call install,[test])
	@touch $(STAMPS)/installed

$(STAMPS)/lint: $(STAMPS)/venv pyproject.toml
	$(call install,[test$(comma)lint])
	@touch $(STAMPS)/installed $(STAMPS)/test

$(STAMPS)/docs: $(STAMPS)/venv pyproject.toml
	$(call install,[docs])

comma := ,

$(STAMPS)/built: $(STAMPS)/venv setup.py $(SOURCES)
	@echo "Translating and compiling what is new; all of it takes some minutes."
	$(BIN)/python setup.py -q build_ext --inplace
	@touch $@

build: $(STAMPS)/installed $(STAMPS)/built

dsr: build
	$(BIN)/simcore run dsr

test: $(STAMPS)/test $(STAMPS)/built
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

validate: $(STAMPS)/test $(STAMPS)/built
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m validation

lint: $(STAMPS)/lint $(STAMPS)/built
	$(BIN)/ruff check .
	$(BIN)/cython-lint simcore models examples
	$(MAKE) types

# mypy resolves packages by folder: a tree of links in which models/ is simcore/models.
types: $(STAMPS)/lint
	$(BIN)/python tools/typing_tree.py build/typing
	cd build/typing && $(abspath $(BIN))/mypy --config-file ../../pyproject.toml -p simcore

bench: $(STAMPS)/test $(STAMPS)/built
	$(BIN)/python profiling/bench.py

microbench: $(STAMPS)/test $(STAMPS)/built
	$(BIN)/python -m pytest profiling

docs: $(STAMPS)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel: $(STAMPS)/venv
	$(BIN)/python -m pip wheel -q --no-deps -w dist .

check-system:
	@PYTHON="$(PYTHON)" sh tools/check_system.sh

clean:
	rm -rf build dist site *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis .benchmarks
	rm -f $(STAMPS)/built
	find simcore models examples -name '*.so' -delete
	find simcore models examples tests profiling -name __pycache__ -type d -prune -exec rm -rf {} +
