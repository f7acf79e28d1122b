#!/usr/bin/env bash
# Makes the foundation model from nothing: 48,000 steps, 22 minutes of one NVIDIA H200. Stopped, it goes on where it was when it is
# run again.
#
#   foundation/train.sh GRAPHS OUT     GRAPHS as scripts/gather-graphs.sh makes it; the model is OUT/best.safetensors
set -euo pipefail

graphs=$1 out=$2
lacuna=${LACUNA:-lacuna}
chosen=()
for graph in "$graphs"/choose/*; do chosen+=(--choose "$graph"); done
resumed=()
[ ! -f "$out/state.safetensors" ] || resumed=(--resume)

"$lacuna" train --graphs "$graphs/train" "${chosen[@]}" --config foundation-alternating --validate 600 -o "$out" "${resumed[@]}"
