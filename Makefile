# Everything happens in .venv. `make PYTHON=python3.12 test` makes it with another Python (3.10 or newer).
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install

# Empty files that say what .venv already holds, so that a second `make demo` starts at once.
VENV := .venv/made-by-$(subst /,-,$(PYTHON))
APP := .venv/has-requirements
DEV := .venv/has-requirements-dev
BENCH := .venv/has-requirements-bench
CHROMIUM_READY := .venv/has-chromium

.PHONY: help demo test check format bench bench-training

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(APP) ## start the app; HOST and PORT choose where: make demo PORT=7861
	$(BIN)/python app.py

# The journeys on their own, a file of them in one browser; 5 is pytest's "no such test".
test: $(DEV) $(CHROMIUM_READY) ## run every test, the browser's too: make test ARGS="-k beam"
	$(BIN)/python -m pytest --numprocesses 2 --ignore tests/browser $(ARGS) || [ $$? = 5 ]
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile tests/browser $(ARGS) || [ $$? = 5 ]

check: $(DEV) ## lint, check the format and the types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV) ## rewrite the code in the project's format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(BENCH) $(CHROMIUM_READY) ## measure speed; the last line is one JSON object
	$(BIN)/python -m tests.benchmarks $(ARGS)

bench-training: $(BENCH) ## measure training in four minutes; the last line is one JSON object
	$(BIN)/python -m tests.benchmarks.training $(ARGS)

# A .venv of the same version, however it was made, is kept. Debian ships venv without pip: then pip
# comes from the Python that makes the venv.
$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed: make PYTHON=python3.12 ..." if sys.version_info < (3, 10) else 0)'
	@[ "$$($(BIN)/python --version 2>&1)" = "$$($(PYTHON) --version 2>&1)" ] \
		|| $(PYTHON) -m venv --clear .venv \
		|| { $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install pip; }
	@touch $@

$(APP): requirements.txt $(VENV)
	$(PIP) -r requirements.txt
	@touch $@

$(DEV): requirements-dev.txt $(APP)
	$(PIP) -r requirements-dev.txt
	@touch $@

$(BENCH): tests/benchmarks/requirements-bench.txt $(DEV)
	$(PIP) -r tests/benchmarks/requirements-bench.txt
	@touch $@

$(CHROMIUM_READY): $(DEV)
	$(BIN)/python -m tests.browser.chromium
	@touch $@
