#!/usr/bin/env bash
# Gathers the graphs that a foundation model is trained and chosen on, compressed, into three
# folders that `lacuna train` takes: OUT/train and OUT/small by --graphs, each of OUT/choose by
# --choose. docs/lab/graphs.md says why these. All of them together are some 17 MiB, to be carried
# to another machine.
#
#   scripts/gather-graphs.sh DATA OUT
set -euo pipefail

data=$1 out=$2
trained=(
  FB15k-237 WN18RR CoDEx-M NELL-995-openke
  graphs/{ATTACK-CAPEC,Baseball,DBpedia-movies,DBpedia-music,ENVO,Family,GeoCities,Glottolog}
  graphs/{Hetionet-5k,Homebrew,JF17K,KdConv-travel,MetaQA,MKR-movie,MKR-music,OpenFlights}
  graphs/{PokeAPI,ReVerb45K,Tate,USCongress,vcpkg,WBbt,WorldCup}
)
small=(GraIL/{WN18RR_v1,WN18RR_v2,fb237_v1,fb237_v2,nell_v1,nell_v2})
chosen=(graphs/{ACL-Anthology,Amazon-Beauty,Carcinogenesis,DBP15K-JA,ICEWS14,SRPRS-YG} InGram/{NL-25,WK-25})

# gather copies the splits of a graph, and OpenKE's names, and leaves out what else lies there.
gather() {
  local from=$1 to=$2 file
  mkdir -p "$to"
  for file in "$from"/{train,valid,test}{,2id}.txt{,.zst} "$from"/{entity,relation}2id.txt; do
    case $file in
      *.zst) [ ! -f "$file" ] || cp -f "$file" "$to/" ;;
      *) [ ! -f "$file" ] || zstd -qf -19 "$file" -o "$to/$(basename "$file").zst" ;;
    esac
  done
}

for graph in "${trained[@]}"; do gather "$data/$graph" "$out/train/$(basename "$graph")"; done
for graph in "${small[@]}"; do gather "$data/$graph" "$out/small/$(basename "$graph")"; done
for graph in "${chosen[@]}"; do gather "$data/$graph" "$out/choose/$(basename "$graph")"; done
rm -f "$out"/choose/{NL,WK}-25/test.txt.zst # for a last report
du -sh "$out"/* "$out"
