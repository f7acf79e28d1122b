#!/usr/bin/env bash
# Everything that must hold before a change lands: format, vet, staticcheck, a
# build without cgo, and all tests. Needs Go only; what else is missing is named.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

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
  npm ci --prefix sparql/compare --no-audit --no-fund --silent || echo "Oxigraph cannot be had: the comparison is passed over"
else
  echo "no npm: SPARQL is not compared with another engine"
fi

# The page is embedded as it was built; its source and its use in a browser are tested where the tools are to be had.
step "tools for the page"
scripts/install-chromium.sh || echo "the page is not tested in a browser"
if command -v npm >/dev/null; then
  npm ci --prefix server/web --no-audit --no-fund --silent || echo "npm cannot get the page's tools: its source is not checked"
else
  echo "no npm: the page's source is not checked"
fi

step "tests"
go test -timeout 20m ./... "$@"

# The race detector needs a C compiler; where there is none, say so and go on.
if command -v gcc >/dev/null || command -v clang >/dev/null; then
  step "race detector, on the packages that use goroutines"
  # What only takes long under it, reading much data in one goroutine after another, was tested above.
  CGO_ENABLED=1 go test -race -short -timeout 20m -skip 'VerifyPublicData|LineTooLong|ReadBenchmarks' \
    . ./kg/... ./internal/parallel ./exec ./symbolic ./sample ./dataset ./eval ./journal ./server
else
  echo "no C compiler: the race detector was not run"
fi
