#!/usr/bin/env bash
# Everything that must hold before a change lands: format, vet, staticcheck, a
# build without cgo, and all tests. Needs Go only; what else is missing, and what was
# therefore passed over, is listed at the end.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

# passed_over adds a line to the list of what was not tested, which stands at the end of every run.
skipped=$(mktemp)
passed_over() { echo "- $*" | tee -a "$skipped"; }
list_skipped() {
  if [ -s "$skipped" ]; then
    step "passed over, by what it needs"
    cat "$skipped"
  fi
  rm -f "$skipped"
}
trap list_skipped EXIT

command -v go >/dev/null || { echo "test.sh: Go 1.26 or newer is needed (https://go.dev/dl)" >&2; exit 1; }

step "modules"
go mod download
go mod verify

step "gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
  echo "gofmt would change:" $unformatted >&2
  exit 1
fi

step "go vet"
go vet ./...

step "staticcheck"
go tool staticcheck ./...

step "build without cgo"
CGO_ENABLED=0 go build -o /dev/null ./...

# The SPARQL evaluator is compared with another engine where node is to be had.
if command -v npm >/dev/null; then
  step "Oxigraph, to compare with"
  npm ci --prefix sparql/compare --no-audit --no-fund --silent || passed_over "Oxigraph cannot be had by npm ci --prefix sparql/compare: SPARQL is not compared with it"
else
  passed_over "no npm (Debian: apt install nodejs npm): SPARQL is not compared with another engine"
fi

# So are joins over Parquet partitions of links.
if command -v npm >/dev/null; then
  step "DuckDB, to compare with"
  npm ci --prefix links/partition/compare --no-audit --no-fund --silent || passed_over "DuckDB cannot be had by npm ci --prefix links/partition/compare: joins over partitions are not compared with it"
else
  passed_over "no npm (Debian: apt install nodejs npm): joins over partitions are not compared with DuckDB"
fi

# The page is embedded as it was built; its source and its use in a browser are tested where the tools are to be had.
step "tools for the page"
# As root it would install Chromium: it asks first, and LACUNA_NO_CHROMIUM=1 says no beforehand.
LACUNA_ASK=1 scripts/install-chromium.sh || passed_over "no Chromium (scripts/install-chromium.sh as root installs it): the page is not tested in a browser"
if command -v npm >/dev/null; then
  npm ci --prefix server/web --no-audit --no-fund --silent || passed_over "the page's tools cannot be had by npm ci --prefix server/web: its source is not checked"
else
  passed_over "no npm (Debian: apt install nodejs npm): the page's source is not checked"
fi

# Facts that many servers share are tested with a database of the tests' own.
step "PostgreSQL"
LACUNA_ASK=1 scripts/install-postgres.sh || passed_over "no PostgreSQL (scripts/install-postgres.sh as root installs it): facts in a database are not tested"

# Ranks are tested over MPI where it is to be had. As root it would install it, as Chromium above.
step "MPI"
LACUNA_ASK=1 scripts/install-mpi.sh || passed_over "no Open MPI or no MPICH (scripts/install-mpi.sh as root installs them): ranks are tested within one process only"

step "tests"
verbose=
for argument in "$@"; do
  case $argument in -v | -v=true | -bench*) verbose=-v ;; esac
done
go test -json -timeout 20m ./... "$@" | go run ./internal/skips -list "$skipped" $verbose

# The race detector needs a C compiler; where there is none, say so and go on.
if command -v gcc >/dev/null || command -v clang >/dev/null; then
  step "race detector, on the packages that use goroutines"
  # What only takes long under it, reading much data in one goroutine after another, was tested above.
  CGO_ENABLED=1 go test -race -short -timeout 20m -skip 'VerifyPublicData|LineTooLong|ReadBenchmarks' \
    ./kg/... ./complete ./factor ./ranks ./internal/parallel ./internal/memory ./mcp ./exec ./links ./symbolic ./sample/... ./dataset ./eval ./journal/... ./server ./lab/linkbench ./lab/load ./lab/tuples
  # Of the engine's own tests, those in which goroutines meet: changes, caches, fits, batches, many who ask at once.
  CGO_ENABLED=1 go test -race -short -timeout 20m \
    -run 'Goroutines|Change|Cache|CalibrationIs|CalibrationThat|Refined|Batch|Fail|Leak|Visualise|Train' -skip ChangeRefuses .
else
  passed_over "no C compiler (Debian: apt install gcc libc6-dev): the race detector was not run"
fi
