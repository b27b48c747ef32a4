# Two commands do all the set-up on a fresh machine: `make run` and `make test`. They need a Rust toolchain and a C
# compiler; cargo-nextest is used where it is installed.

CARGO    ?= cargo
PREFIX   ?= $(HOME)/.local
WORK     ?= $(CURDIR)/target/make-run
PROMPT   ?= Make a small web page about tea
AGENT    ?= auto
REAL_DIR ?= target/real
REAL_FLAGS ?= --patience 2
ROUNDS   ?= 20
# One folder per adapter, beside its manifest; adapters of one family share a crate one level up.
FOLDERS  := $(patsubst %/manifest.json,%,$(wildcard adapters/*/manifest.json adapters/*/*/manifest.json))
ADAPTERS := $(notdir $(FOLDERS))
CRATES   := $(notdir $(patsubst %/,%,$(wildcard adapters/*/)))
CLIENTS  := target/clients
BINARIES := od-host conformance $(addprefix od-adapter-,$(ADAPTERS))

.PHONY: help run build debug test lint unit doc deny generate clients client-packages conformance right-adapters mutation-test self-test real bench install uninstall

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# A short first build: no optimisation, and no feature that `od-host run` does not need (see host/Cargo.toml).
run: ## Build host and adapters quickly, then run a task on the best installed agent (or the embedded demo)
	$(CARGO) build --locked --profile quick --no-default-features --bins -p od-host $(CRATES:%=-p od-adapter-%)
	@mkdir -p "$(WORK)"
	target/quick/od-host run -a "$(AGENT)" -C "$(WORK)" "$(PROMPT)"
	@echo; echo "The work is in $(WORK):"; ls -l "$(WORK)"

build: ## Build the release binaries
	$(CARGO) build --release --locked --workspace --exclude xtask --exclude od-adapter-my-agent --bins

test: lint client-packages unit conformance ## Everything that must hold before a change lands

lint: ## Format and lints
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

# One build for tests, suite and real CLIs: with other targets Cargo selects other features and compiles everything again.
debug:
	$(CARGO) build --locked --workspace --bins --examples

unit: debug ## All tests of the workspace, also for current schemas and documents
	$(CARGO) test --locked --workspace --doc --quiet
	@if $(CARGO) nextest --version >/dev/null 2>&1; \
	then $(CARGO) nextest run --locked --workspace; \
	else $(CARGO) test --locked --workspace --lib --bins --tests --examples; fi

doc: ## API documentation of the libraries, without warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --workspace --lib

deny: ## Licences, bans and sources of the dependencies (needs cargo-deny)
	$(CARGO) deny --locked check licenses bans sources

conformance: debug ## The contract suite against every adapter of this repository
	@mkdir -p target/conformance
	@printf '%s\n' $(FOLDERS) | xargs -P 3 -I{} sh -c \
	  'id=$$(basename {}); log=target/conformance/$$id.txt; \
	   if target/debug/conformance run target/debug/od-adapter-$$id --pack {}/conformance --jobs 4 --patience 3 >$$log 2>&1; \
	   then tail -1 $$log; else cat $$log; exit 1; fi'

right-adapters: debug ## The suite against adapters that are right but different, ROUNDS times beside busy loops (hours)
	conformance/tests/adapters/check-all --rounds $(ROUNDS)

mutation-test: debug ## Changes of an adapter in Python that the suite must notice (a sample; minutes)
	python3 conformance/tests/adapters/mutation_test.py --conformance target/debug/conformance

self-test: ## The suite against all of its mutants (minutes)
	$(CARGO) build --locked --release -p od-conformance
	target/release/conformance self-test

real: debug ## The real agent CLIs, pinned, against the fake model (needs npm, unshare and ip)
	target/debug/conformance real-all --into "$(REAL_DIR)" $(REAL_FLAGS)

generate: ## Rewrite schemas, client types, manifests and generated tables from the code
	$(CARGO) build --locked --workspace --bins
	@set -e; for folder in $(FOLDERS); do \
	  "target/debug/od-adapter-$$(basename $$folder)" --manifest > "$$folder/manifest.json"; \
	done
	$(CARGO) xtask generate

clients: client-packages ## The TypeScript and Python clients of the API: their tests, and their examples over every transport
	$(CARGO) build --locked -p od-host -p od-adapter-demo --bins --examples
	$(CARGO) test --locked -p od-host --test it serve::client_packages -- --nocapture

client-packages:
	@PYTHONDONTWRITEBYTECODE=1 schemas/api/examples/build "$(CLIENTS)"

bench: build ## Measure the event pipeline, also through od-host serve, against a raw pipe in the same run
	$(CARGO) bench --locked -p od-host --bench pipeline

install: build ## Put the binaries into PREFIX/bin (default ~/.local)
	@mkdir -p "$(PREFIX)/bin"
	@set -e; for binary in $(BINARIES); do install -m 755 "target/release/$$binary" "$(PREFIX)/bin/$$binary"; done
	@echo "installed into $(PREFIX)/bin: $(BINARIES)"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "hint: add it to PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\"";; esac

uninstall: ## Remove them again
	@for binary in $(BINARIES); do rm -f "$(PREFIX)/bin/$$binary"; done
