# Two commands do all the set-up on a fresh machine: `make run` and `make test`.
# Needs a Rust toolchain and a C compiler; cargo-nextest is used where it is installed.

CARGO    ?= cargo
PREFIX   ?= $(HOME)/.local
WORK     ?= $(CURDIR)/target/make-run
PROMPT   ?= Make a small web page about tea
AGENT    ?= auto
REAL_DIR ?= target/real
REAL_FLAGS ?= --patience 2
ADAPTERS := $(notdir $(patsubst %/,%,$(wildcard adapters/*/)))
CLIENTS  := target/clients
BINARIES := od-host conformance $(addprefix od-adapter-,$(ADAPTERS))

.PHONY: help run build debug test lint unit schemas clients client-packages conformance self-test real bench install uninstall

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

run: build ## Build, then do the main job on the best installed agent (or the embedded demo)
	@mkdir -p "$(WORK)"
	target/release/od-host run -a "$(AGENT)" -C "$(WORK)" "$(PROMPT)"
	@echo; echo "The work is in $(WORK):"; ls -l "$(WORK)"

build: ## Build the release binaries
	$(CARGO) build --release --locked --workspace --bins

test: lint client-packages unit conformance ## Everything that must hold before a change lands

lint: ## Format and lints
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

# One build for tests, suite and real CLIs: other targets would mean other features, and so all of it again.
debug:
	$(CARGO) build --locked --workspace --bins --examples

unit: debug ## All tests of the workspace (current schemas and documents, every mutant caught)
	@if $(CARGO) nextest --version >/dev/null 2>&1; \
	then $(CARGO) nextest run --locked --workspace; \
	else $(CARGO) test --locked --workspace; fi

conformance: debug ## The contract suite against every adapter of this repository
	@mkdir -p target/conformance
	@printf '%s\n' $(ADAPTERS) | xargs -P 2 -I{} sh -c \
	  'log=target/conformance/{}.txt; \
	   if target/debug/conformance run target/debug/od-adapter-{} --pack adapters/{}/conformance --jobs 3 --patience 2 >$$log 2>&1; \
	   then tail -1 $$log; else cat $$log; exit 1; fi'

self-test: ## The suite against its own broken adapters, also what they must not fail (minutes)
	$(CARGO) build --locked --release -p od-conformance
	target/release/conformance self-test

real: debug ## The real agent CLIs, pinned, against the fake model (needs npm, unshare and ip)
	target/debug/conformance real-all --into "$(REAL_DIR)" $(REAL_FLAGS)

schemas: ## Rewrite schemas/, manifests and the generated tables from the code
	$(CARGO) build --locked --workspace --bins
	@set -e; for adapter in $(ADAPTERS); do \
	  "target/debug/od-adapter-$$adapter" --manifest > "adapters/$$adapter/manifest.json"; \
	done
	UPDATE_EXPECT=1 $(CARGO) test --locked -p od-protocol --test it

clients: client-packages ## The TypeScript and Python clients of the API: their tests, and their tours over every face
	$(CARGO) build --locked -p od-host -p od-adapter-demo --bins --examples
	$(CARGO) test --locked -p od-host --test it serve::clients -- --nocapture

client-packages:
	@PYTHONDONTWRITEBYTECODE=1 schemas/api/examples/build "$(CLIENTS)"

bench: build ## Measure the walk, also through a served host; ratios to a raw pipe in the same run
	$(CARGO) bench --locked -p od-host --bench walk

install: build ## Put the binaries into PREFIX/bin (default ~/.local)
	@mkdir -p "$(PREFIX)/bin"
	@set -e; for binary in $(BINARIES); do install -m 755 "target/release/$$binary" "$(PREFIX)/bin/$$binary"; done
	@echo "installed into $(PREFIX)/bin: $(BINARIES)"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "hint: add it to PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\"";; esac

uninstall: ## Remove them again
	@for binary in $(BINARIES); do rm -f "$(PREFIX)/bin/$$binary"; done
