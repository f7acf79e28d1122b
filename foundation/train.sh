#!/usr/bin/env bash
# Makes the foundation model from nothing, in some 50 minutes of one NVIDIA H200: 48,000 steps on pairs of an entity and a relation, each as often as any
# other, then 9,000 half of which are drawn by facts, then, at lower rates, 5,500 with small graphs among them, 9,500 with two large ones more often and
# 4,500 in larger batches; then 10,900 with graphs that state little of what there is, in three stages. At last three short ones see such graphs
# alone, each otherwise, and the model is the mean of the stage before and of these. Stopped, it goes on where it was when it is run again.
#
#   foundation/train.sh GRAPHS OUT     GRAPHS as scripts/gather-graphs.sh makes it; the model is OUT/model.safetensors
set -euo pipefail
trap 'exit 130' INT TERM

graphs=$1 out=$2
lacuna=${LACUNA:-lacuna} lab=${LACUNA_LAB:-lacuna-lab}
chosen=()
for graph in "$graphs"/choose/*; do chosen+=(--choose "$graph"); done

# stage NAME GRAPHS FLAGS…: trains OUT/NAME on the graphs of a folder, or goes on with it.
stage() {
  local folder=$out/$1 on=$2; shift 2
  if [ -f "$folder/state.safetensors" ]; then set -- "$@" --resume; fi
  "$lacuna" train --graphs "$on" "${chosen[@]}" -o "$folder" "$@"
}

# OUT/graphs has those of the first two stages, and the small ones; OUT/four the four large ones that others train on.
mkdir -p "$out/graphs" "$out/four"
for graph in "$graphs"/{train,small}/*; do ln -sfn "$(realpath "$graph")" "$out/graphs/"; done
for graph in "$graphs"/train/{FB15k-237,WN18RR,CoDEx-M,NELL-995-openke}; do ln -sfn "$(realpath "$graph")" "$out/four/"; done

stage by-pairs "$graphs/train" --config foundation-alternating --validate 600
stage by-facts "$graphs/train" --config foundation-by-facts --validate 400 --from "$out/by-pairs/best.safetensors"
stage small "$out/graphs" --config foundation-small --validate 200 --from "$out/by-facts/last.safetensors"
stage large "$out/graphs" --config foundation-large --validate 200 --from "$out/small/last.safetensors"
stage batches "$out/graphs" --config foundation-batches --validate 200 --from "$out/large/last.safetensors"
stage thin "$out/graphs" --config foundation-thin --validate 200 --from "$out/batches/last.safetensors"
stage thin-batches "$out/graphs" --config foundation-thin-batches --validate 200 --from "$out/thin/last.safetensors"
stage thin-large "$out/graphs" --config foundation-thin-large --validate 200 --from "$out/thin-batches/last.safetensors"

before=$out/thin-large/last.safetensors
stage sparse-large "$out/graphs" --config foundation-sparse-large --validate 200 --from "$before"
stage sparse-four "$out/four" --config foundation-sparse-four --validate 200 --from "$before"
stage sparse-all "$out/graphs" --config foundation-sparse-all --validate 200 --from "$before"
"$lab" export-model "$out"/sparse-{all,four,large}/last.safetensors "$before" "$before" "$before" -o "$out/model.safetensors"
