#!/usr/bin/env bash
# Soaks servers of several graphs at the same time: clients that ask without pause, questions that nobody asked before, while facts change.
# usage: scripts/soak.sh LACUNA MINUTES GRAPH[:CLIENTS[:CHANGE-EVERY[:MODE]]]...
# such as: scripts/soak.sh ./lacuna 60 FB15k-237:8:2s large.lacuna:4:10s FB15k-237:4:2s:exact
# Prints throughput, times and memory of each, in ten parts, and the load of the machine; fails where a request failed or memory
# of the later half exceeds that of the earlier half by a tenth. lacuna-lab is expected
# beside LACUNA, or LAB=… names it. SERVE=… adds flags to the servers, OUT=… names the folder of the reports.
set -euo pipefail
lacuna=$1 minutes=$2
shift 2
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
servers=()
trap 'for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done; wait' EXIT

# address waits for the line with the address that a server prints when it is ready.
address() {
  for _ in $(seq 600); do
    grep -om1 'http://[0-9.:]*' "$1" && return
    sleep 0.2
  done
  echo "no server: $(cat "$1")" >&2
  return 1
}

soaks=() i=0
for spec in "$@"; do
  IFS=: read -r graph clients every mode <<<"$spec"
  # shellcheck disable=SC2086 # flags are words
  "$lacuna" serve -g "$graph" --addr 127.0.0.1:0 --facts "$out/facts-$i" ${SERVE:-} >"$out/serve-$i.log" 2>&1 &
  servers+=($!)
  url=$(address "$out/serve-$i.log")
  "${LAB:-$lacuna-lab}" bench serve -g "$graph" --url "$url" --clients "${clients:-8}" --change-every "${every:-2s}" ${mode:+--mode "$mode"} \
    --warmup "$((minutes * 6))s" --for "${minutes}m" --parts 10 --json >"$out/soak-$i.json" 2>"$out/soak-$i.err" &
  soaks+=($!)
  i=$((i + 1))
done
(while sleep 60; do echo "$(date -u +%H:%M) $(cut -d' ' -f1-3 /proc/loadavg)"; done >"$out/load.log") &
servers+=($!)

failed=0 i=0
for spec in "$@"; do
  wait "${soaks[$i]}" || { cat "$out/soak-$i.err"; exit 1; }
  echo "== $spec; load of the machine at the end: $(cut -d' ' -f1-3 /proc/loadavg)"
  cat "$out/soak-$i.json"
  ! grep -q '"errors": {$' "$out/soak-$i.json" || { echo "requests failed"; failed=1; }
  awk -F'[:,]' '/"memory_growth"/ { exit !($2 <= 1.1) }' "$out/soak-$i.json" || { echo "memory grew"; failed=1; }
  i=$((i + 1))
done
[ "$failed" = 0 ] && echo "no error, and memory is flat"
exit "$failed"
