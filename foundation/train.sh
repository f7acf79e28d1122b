#!/usr/bin/env bash
# Makes the foundation model from nothing, in some 27 minutes of one NVIDIA H200: 48,000 steps on pairs of an entity and a relation, each as often as any
# other, then 9,000 half of which are drawn by facts. Stopped, it goes on where it was when it is run again.
#
#   foundation/train.sh GRAPHS OUT     GRAPHS as scripts/gather-graphs.sh makes it; the model is OUT/by-facts/last.safetensors
set -euo pipefail
trap 'exit 130' INT TERM

graphs=$1 out=$2
lacuna=${LACUNA:-lacuna}
chosen=()
for graph in "$graphs"/choose/*; do chosen+=(--choose "$graph"); done

# stage NAME FLAGS…: trains OUT/NAME, or goes on with it.
stage() {
  local folder=$out/$1; shift
  if [ -f "$folder/state.safetensors" ]; then set -- "$@" --resume; fi
  "$lacuna" train --graphs "$graphs/train" "${chosen[@]}" -o "$folder" "$@"
}

stage by-pairs --config foundation-alternating --validate 600
stage by-facts --config foundation-by-facts --validate 400 --from "$out/by-pairs/best.safetensors"
