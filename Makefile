# Everything is installed into $(VENV); the machine's own Python stays as it is.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Processes that run tests, each with a gigabyte or two. MLIR and IREE mostly use one core.
JOBS ?= 2
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Packages are installed again when pyproject.toml changes, and only then.
RUN_STAMP := $(VENV)/run.stamp
DEV_STAMP := $(VENV)/dev.stamp

.PHONY: help demo test check lint types spelling layout kernels-format wheel clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(RUN_STAMP) ## Set up, compile SmolLM2-135M-Instruct, print three completions.
	$(BIN)/python -m octavo.cli.demo

test: $(DEV_STAMP) ## Set up, run the lit tests, then pytest.
	$(BIN)/lit -sv test
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal

check: lint types spelling layout kernels-format ## Everything a machine can say about the source.

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_STAMP)
	$(BIN)/mypy

spelling: $(DEV_STAMP)
	$(BIN)/typos

layout: $(DEV_STAMP)
	$(BIN)/python tools/check_layout.py

kernels-format: $(DEV_STAMP)
	find kernels -name '*.[ch]' -o -name '*.cu' | xargs -r $(BIN)/clang-format --dry-run --Werror

wheel: $(DEV_STAMP) ## Build the source archive and the wheel into dist/.
	$(BIN)/python -m build

clean: ## Remove what the targets made, packages included.
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	tools/make_venv.sh $(PYTHON) $(VENV)

$(RUN_STAMP): pyproject.toml | $(VENV)/bin/python
	@echo "Installing the packages that compile and run models into $(VENV) ..."
	$(PIP) install --editable '.[compile]'
	$(BIN)/python tools/extra.py demo | $(PIP) install --no-deps --requirement /dev/stdin
	@touch $@

$(DEV_STAMP): $(RUN_STAMP)
	@echo "Installing the packages that test and check into $(VENV) ..."
	$(BIN)/python tools/extra.py dev | $(PIP) install --requirement /dev/stdin
	@touch $@
