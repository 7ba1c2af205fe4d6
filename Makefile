# Two commands do everything on a fresh Debian machine: `make demo` and `make test`.

CARGO ?= cargo
export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: setup build demo test lint doc solvers dist try-dist extension test-extension try-extension clean

## Install what is missing: compiler, pkg-config, Rust, a JDK, bubblewrap, and beside the sources a recent Z3 and .NET.
setup:
	@scripts/setup.sh

build: setup
	$(CARGO) build --release --locked

## Build, then answer a real question: does a transfer between accounts keep the sum of their balances?
demo: build
	@echo; echo '$$ aback check examples/java/Account.java --entry Account.transfer'
	@target/release/aback check examples/java/Account.java --entry Account.transfer; test $$? -eq 1
	@echo; echo '$$ aback check examples/java/Account.java --entry Account.safeTransfer'
	@target/release/aback check examples/java/Account.java --entry Account.safeTransfer
	@if [ -d "$${DOTNET_ROOT:-.dotnet}/shared" ] || command -v dotnet >/dev/null; then \
	    echo; echo '$$ aback check examples/csharp/Stock.dll --entry Stock.Order'; \
	    target/release/aback check examples/csharp/Stock.dll --entry Stock.Order; test $$? -eq 1 || exit 1; \
	    echo; echo '$$ aback check examples/csharp/Stock.dll --entry Stock.CheckedOrder'; \
	    target/release/aback check examples/csharp/Stock.dll --entry Stock.CheckedOrder; \
	fi
	@echo; echo '$$ aback scan examples/shop --traps'
	@target/release/aback scan examples/shop --traps --out target/scan; test $$? -eq 1
	@echo; echo '$$ aback bench examples --timeout 10'
	@target/release/aback bench examples --timeout 10

## Everything that must hold before a change lands.
test: setup lint doc
	scripts/compilers/with-compilers.sh $(CARGO) test --locked --workspace

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

doc: setup
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --quiet

## Fetch cvc5, Yices 2 and Bitwuzla, for comparisons with Z3.
solvers: setup
	@scripts/solvers/setup.sh

## Make the packages in target/dist: an archive, a Debian package, an image of a container (docs/packages.md).
dist: setup
	@scripts/dist/dist.sh

## Try the packages in a bare Debian system; it needs root and debootstrap.
try-dist:
	@scripts/dist/try.sh

## Make the package of the extension for VS Code in target/editor (docs/editor.md).
extension:
	@scripts/editor/extension.sh

## Check the extension, and run its unit tests and the tests of the debug adapter.
test-extension: setup
	@scripts/setup.sh node
	$(CARGO) build --locked --bin aback
	scripts/editor/test.sh

## Try the extension in code-server and Chromium.
try-extension: setup
	@scripts/editor/try-extension.sh

clean:
	$(CARGO) clean
	rm -rf .z3 .dotnet .solvers out
