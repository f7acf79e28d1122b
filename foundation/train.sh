#!/usr/bin/env bash
# Makes the foundation model from nothing, in two stages of 16,000 steps: together 12 minutes of one NVIDIA H200. Stopped,
# it goes on where it was when it is run again.
#
#   foundation/train.sh GRAPHS OUT     GRAPHS as scripts/gather-graphs.sh makes it; the model is OUT/second/best.safetensors
set -euo pipefail

graphs=$1 out=$2
lacuna=${LACUNA:-lacuna}
chosen=()
for graph in "$graphs"/choose/*; do chosen+=(--choose "$graph"); done

# stage trains in OUT/NAME, or goes on there.
stage() {
  local folder=$out/$1
  shift
  [ ! -f "$folder/state.safetensors" ] || set -- "$@" --resume
  "$lacuna" train --graphs "$graphs/train" "${chosen[@]}" --config foundation-alternating -o "$folder" "$@"
}

stage first --validate 200 --set learning_rate=0.002 --set clip_norm=0
stage second --validate 600 --from "$out/first/best.safetensors" --seed 7
