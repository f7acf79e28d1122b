#!/usr/bin/env bash
# Trains the models of the embedded graph anew, each in about a minute on two cores, and puts them beside this file.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for model in model model-sets; do
  go run ../cmd/lacuna train --config $model.json -o "$folder/$model"
  cp "$folder/$model/best.safetensors" $model.safetensors
done
