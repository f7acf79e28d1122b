#!/usr/bin/env bash
# Measures what docs/data.md says of speed: a CSV of 1 GB, a wide table of a million rows and twenty columns, one search
# among five million names, and a copy of an endpoint. Needs awk, curl and GNU time, 4 GB of disk, and some minutes.
#
#   scripts/import-figures.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
lacuna=$folder/lacuna
CGO_ENABLED=0 go build -trimpath -o "$lacuna" ./cmd/lacuna

measured() { echo "\$ ${*/#$folder\//}"; /usr/bin/time -f '  %e s, %U + %S s of processor time, %M kB' "$@"; }

[ -s "$folder/triples.csv" ] || awk 'BEGIN { srand(3); while (n < 1e9) {
  line = sprintf("some entity number 1 %d,relation %d,some entity number 1 %d\n", rand()*5e6, rand()*1000, rand()*5e6)
  n += length(line); printf "%s", line } }' > "$folder/triples.csv"
[ -s "$folder/wide.csv" ] || awk 'BEGIN { srand(4); printf "item"; for (c = 1; c < 20; c++) printf ",column%d", c; print ""
  for (i = 0; i < 1e6; i++) { printf "item %d", i; for (c = 1; c < 16; c++) printf ",value %d of %d", rand()*1000, c
    for (; c < 20; c++) printf ",%d", rand()*10000; print "" } }' > "$folder/wide.csv"

measured "$lacuna" import "$folder/triples.csv" -o "$folder/triples.lacuna"
measured "$lacuna" import "$folder/wide.csv" -o "$folder/wide.lacuna"
measured "$lacuna" find -g "$folder/triples.lacuna" 'some entity number 1 4999'

head -n 1000000 "$folder/triples.csv" | sed 's/,relation [0-9]*\([0-9]\),/,relation \1,/' > "$folder/endpoint.csv"
"$lacuna" import "$folder/endpoint.csv" -o "$folder/endpoint.lacuna" > /dev/null
"$lacuna" serve -g "$folder/endpoint.lacuna" -m exact --addr 127.0.0.1:8491 > /dev/null 2>&1 & server=$!
trap 'kill $server' EXIT
until curl -sf http://127.0.0.1:8491/readyz > /dev/null; do sleep 0.2; done
rm -rf "$folder/copy.lacuna.part"
measured "$lacuna" import --sparql http://127.0.0.1:8491/sparql -o "$folder/copy.lacuna"
