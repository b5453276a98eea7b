# Every target makes its own .venv from a lock file, so a fresh clone needs Python and nothing else.
# Use another Python with:  make test PYTHON=python3.12

PYTHON ?= python3
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin

# One stamp per lock. A stamp appears only after the whole install, and lives inside .venv, so an
# environment that is deleted or half made is never taken for a finished one.
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test slow again browser check bench evaluate lint types format lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /|/' \
		| while IFS='|' read -r target text; do printf '  make %-9s %s\n' "$$target" "$$text"; done

demo: $(RUN) ## See Mecano work (installs the run-time packages only)
	$(BIN)/mecano demo

# Tests of one file stay in one process: what they share (a world, a compiled kernel) is made once.
test: $(DEV) ## Run the tests: all laws and a whole run of each robot (at most 6 minutes)
	$(BIN)/python -m pytest -n 2 --dist loadfile

slow: $(DEV) ## Run the other tests: long runs, then those in real time, one after the other
	@code=0; \
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not realtime and not browser" || code=1; \
	$(BIN)/python -m pytest -m realtime || code=1; \
	exit $$code

browser: $(DEV) ## Run the tests of the web view in a real browser (needs chromium)
	$(BIN)/python -m pytest -m browser tests/browser

again: $(DEV) ## Run once more the tests that failed last, one after the other
	$(BIN)/python -m pytest -m "" --last-failed --last-failed-no-failures none

check: lint types test ## Before a commit: format, lint, types and `make test`

bench: $(BENCH) ## Time our solvers beside other libraries
	$(BIN)/mecano bench

evaluate: $(RUN) ## Repeat a random tenth of the evidence in docs/evidence and compare
	@for file in docs/evidence/*.json; do \
		name=$$(sed -n 's/^ "experiment": "\(.*\)",/\1/p' $$file); \
		echo "== $$name"; \
		$(BIN)/mecano evaluate $$name --recheck $$file || exit 1; \
	done

lint: $(DEV) ## Check format and lint, change nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DEV) ## Check types
	$(BIN)/pyright

format: $(DEV) ## Format the code and apply safe lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Delete the environment, caches and built packages
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- environments ------------------------------------------------------------------------------

# $(call install,LOCK NAME,STAMPS TO WRITE). A larger lock holds the smaller ones with the same
# versions, so it writes their stamps too. The mark `.unfinished` stays when an install is cut off;
# the next call then starts from nothing.
define install
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Mecano needs Python 3.11 or newer, but $(PYTHON) is: $$($(PYTHON) --version 2>&1 | head -n 1)." \
		"Choose another with: make $(or $(MAKECMDGOALS),help) PYTHON=python3.12" >&2; exit 1; }
@if [ -e $(VENV)/.unfinished ] || ! $(BIN)/python -c \
	'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	echo "Making $(VENV) with $$($(PYTHON) --version)"; \
	rm -rf $(VENV); \
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Could not make $(VENV). On Debian or Ubuntu: sudo apt install python3-venv" >&2; exit 1; }; \
fi
@touch $(VENV)/.unfinished
@echo "Installing requirements/$(1).lock into $(VENV) (once; a minute or two)"
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
	--require-hashes -r requirements/$(1).lock
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input \
	--no-deps --no-build-isolation -e .
@rm $(VENV)/.unfinished
@touch $(2)
endef

$(RUN): requirements/run.lock pyproject.toml
	$(call install,run,$(RUN))

$(DEV): requirements/dev.lock pyproject.toml
	$(call install,dev,$(RUN) $(DEV))

$(BENCH): requirements/bench.lock pyproject.toml
	$(call install,bench,$(RUN) $(DEV) $(BENCH))

# --- locks -------------------------------------------------------------------------------------

COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --annotation-style line \
	--custom-compile-command "make lock"

# The other two are held to the versions of dev.lock, so one .venv can serve all three.
lock: ## Renew requirements/*.lock from pyproject.toml (needs uv; UPGRADE=1 takes newer versions)
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	$(COMPILE) $(if $(UPGRADE),--upgrade) --extra dev -o requirements/dev.lock >/dev/null
	$(COMPILE) $(if $(UPGRADE),--upgrade) --extra build -c requirements/dev.lock \
		-o requirements/run.lock >/dev/null
	$(COMPILE) $(if $(UPGRADE),--upgrade) --extra dev --extra bench -c requirements/dev.lock \
		-o requirements/bench.lock >/dev/null
