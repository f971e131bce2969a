# dw: `make demo` plays the worked day, `make test` tests. Both need only Go, git and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BUILD   := CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)"
PKGS    := ./...

.PHONY: help build dist demo test test-postgres test-faults test-days test-race clients browser soak soak-short test-all test-public contracts lint bench golden mutate fuzz pictures clean

help: ## say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## build bin/dw, one static binary
	@mkdir -p bin
	$(BUILD) -o bin/dw ./cmd/dw

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

dist: ## build static binaries for linux and macOS into dist/, with checksums
	@rm -rf dist && mkdir -p dist
	@for p in $(PLATFORMS); do \
	  out=dist/dw-$(VERSION)-$${p%/*}-$${p#*/}; echo $$out; \
	  GOOS=$${p%/*} GOARCH=$${p#*/} $(BUILD) -o $$out ./cmd/dw; \
	done
	@cd dist && if command -v sha256sum >/dev/null; then sha256sum dw-*; else shasum -a 256 dw-*; fi >SHA256SUMS

demo: build ## play the worked day in a browser, on embedded parts, no account
	bin/dw demo

test: ## run the tests
	$(GO) test $(PKGS)

test-postgres: ## run what needs a PostgreSQL server alone (initdb and pg_ctl on this machine)
	CI=true $(GO) test -count=1 ./internal/testpg ./connectors/postgres
	CI=true $(GO) test -count=1 -run 'Postgres|Conformance|TestRunner|Frozen|Killed|CutAt|ServerCrashes|NoConnection|Dialects' ./store ./jobs ./demo ./checks
	CI=true $(GO) test -count=1 -run TestFault10PostgresProcesses ./app

test-faults: ## play the faults of docs/soak.md and say which test holds which; `make test` plays them too
	$(GO) run ./internal/faults -run

test-days: ## play 48 hours in virtual time and check their history (DW_DAYS=6h, DW_DAYS_SEED=7)
	$(GO) test -count=1 -v -run 'FortyEightHours|Morning' ./internal/days

test-race: ## run the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -skip PowerLoss $(PKGS) # its VFS is C pointers, which -race refuses

contracts: ## print the vendors' operations that tests validated against their descriptions (DW_SHARED)
	@out=$$(mktemp); trap 'rm -f "$$out"' EXIT; \
	if ! CI=true $(GO) test -count=1 -v -run Contract ./connectors/... >"$$out" 2>&1; then cat "$$out"; exit 1; fi; \
	grep -o 'contract .*' "$$out" | LC_ALL=C sort -u

test-public: ## public dbt projects: load them, explain each model, play the loop on one in PostgreSQL (DW_SHARED)
	DW_SHARED=$${DW_SHARED:-$(CURDIR)/../shared} CI=true $(GO) test -count=1 -v -run 'Shared|Public' ./lineage ./app ./cmd/dw | grep -v '^=== '

CLIENTS := testdata/clients

$(CLIENTS)/node_modules/.package-lock.json: $(CLIENTS)/package-lock.json
	cd $(CLIENTS) && npm ci

clients: build $(CLIENTS)/node_modules/.package-lock.json ## drive the local workspace with Slack's own clients; tsc on every golden message (needs Node 20)
	cd $(CLIENTS) && npm run -s clients

browser: build $(CLIENTS)/node_modules/.package-lock.json ## act in a browser on the page of the running demo (needs Node 20 and chromium)
	cd $(CLIENTS) && npm run -s browser

soak: ## refreshes, kills and two minutes of errors while people click, counted (15 minutes, docs/soak.md)
	DW_SOAK=refreshes=100,kills=20,clicks=2000,people=25 DW_SOAK_OUTAGE=2m $(GO) test -count=1 -v -timeout 60m ./internal/soak

soak-short: ## the same, a tenth of it
	DW_SOAK=refreshes=10,kills=2,clicks=200,people=10 DW_SOAK_OUTAGE=10s $(GO) test -count=1 -v -timeout 15m ./internal/soak

.PHONY: nightly
NIGHTLY_SEEDS ?= 20

nightly: build ## the long runs: race over everything, 60 s of each fuzz target, 48 virtual hours from many seeds, the full soak (hours)
	$(MAKE) test-race
	$(MAKE) fuzz FUZZTIME=60s
	@for seed in $$(seq 1 $(NIGHTLY_SEEDS)); do \
	  DW_DAYS_SEED=$$seed $(GO) test -count=1 -v -run FortyEightHours ./internal/days | grep -v '^===' || exit 1; \
	done
	$(MAKE) soak

test-all: build lint test-race clients browser soak-short mutate ## build, lint, race detector on everything, Slack's clients, a browser, a short soak, guards taken out

lint: ## run golangci-lint, built from its own module in tools/
	@mkdir -p bin
	cd tools && $(GO) build -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run $(PKGS)

bench: ## run the benchmarks, each beside its floor
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)

SQL_ENGINE := @polyglot-sql/sdk@0.12.1

.PHONY: sql-engine
sql-engine: build ## fetch the SQL engine of column lineage by npm, check it, compile it (into DW_SQL_ENGINE or the user's cache)
	@if bin/dw sqlworker --check 2>/dev/null; then echo "the SQL engine is there"; exit 0; fi; \
	tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; \
	(cd "$$tmp" && npm pack --silent $(SQL_ENGINE) >/dev/null && tar -xzf *.tgz package/dist/polyglot_sql.wasm); \
	bin/dw sqlworker --install "$$tmp/package/dist/polyglot_sql.wasm"

.PHONY: bench-trust
bench-trust: ## trust's costs beside their floors, each the median of five rounds: verify, append, click to ack
	$(GO) test -run '^$$' -bench Trust -benchtime 1x -timeout 60m ./receipts ./store ./internal/soak | grep -E '^(Benchmark|ok|FAIL|---)'

.PHONY: bench-year bench-detect
bench-year: ## judge a year of hourly history of 1,000 tables: seconds and memory (10 minutes)
	go test -run '^$$' -bench YearOfTables -benchtime 1x -timeout 2h ./checks/detect

bench-detect: build ## score the detector on labelled series (DW_SHARED; needs python3 with numpy)
	@test -n "$(DW_SHARED)" || { echo "set DW_SHARED to the folder that holds bench/ and fixtures/"; exit 2; }
	/usr/bin/python3 $(DW_SHARED)/bench/anomaly_eval.py --data $(DW_SHARED)/fixtures/anomaly --causal 3 --kinds \
	  --cmd 'bin/dw bench detect --meta {meta}'

.PHONY: bench-lineage
bench-lineage: build ## score lineage on known cases and time the graph beside its floors (DW_SHARED)
	@test -n "$(DW_SHARED)" || { echo "set DW_SHARED to the folder that holds bench/ and fixtures/"; exit 2; }
	bin/dw bench lineage $(DW_SHARED)/fixtures/lineage/cases.jsonl
	bin/dw bench lineage $(DW_SHARED)/fixtures/lineage/dbt_models.jsonl
	$(GO) test -run '^$$' -bench . -benchtime 5x ./lineage
	DW_BENCH_MILLION=1 $(GO) test -run '^$$' -bench Million -timeout 30m ./lineage

.PHONY: bench-rca bench-scan
bench-rca: build ## name the segments of labelled incidents (DW_SHARED; needs python3 with numpy)
	@test -n "$(DW_SHARED)" || { echo "set DW_SHARED to the folder that holds bench/ and fixtures/"; exit 2; }
	/usr/bin/python3 $(DW_SHARED)/bench/rca_eval.py --data $(DW_SHARED)/fixtures/rca --cmd 'bin/dw bench rca'

SCAN_ROWS ?= 10000000

bench-scan: ## twenty checks of one table together and alone, beside a plain scan of it (PostgreSQL; some minutes)
	DW_SCAN_ROWS=$(SCAN_ROWS) CI=true $(GO) test -count=1 -run '^$$' -bench 'Scan$$' -benchtime 3x -timeout 60m ./checks

golden: ## rewrite the golden files; read the diff before you commit it
	$(GO) test ./blocks ./checks ./checks/detect -update

mutate: ## take the guards out one by one; a test must fail for each (PART=1/3: a third of them)
	$(GO) run ./internal/mutate testdata/mutations $(PART)

FUZZTIME ?= 10s

fuzz: ## run each fuzz target for ten seconds (FUZZTIME=60s)
	@for pkg in $$($(GO) list $(PKGS)); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

pictures: build ## make docs/*.png from the running demo (needs chromium)
	$(GO) run ./internal/pictures bin/dw $(CURDIR)/docs

clean: ## remove what make built
	rm -rf bin
