#!/usr/bin/env bash
# The drug-repurposing study of docs/repurposing.md, from the graph to the table: which drugs may treat which diseases, by the model
# that comes with Lacuna, without training. About ten minutes on two cores.
#
#   scripts/repurposing.sh DATA OUT
#
# DATA holds the sources, and is filled from their public homes where it is empty: Hetionet 1.0 (hetio/hetionet), DrugCentral's
# indications (dhimmel/drugcentral), clinical trials (dhimmel/clintrials). They have licences of their own: read them first.
# A folder with facts.tsv.zst, labels.tsv.zst, relation-labels.tsv and rephetio.tsv.zst is taken as it is.
set -euo pipefail
trap 'exit 130' INT TERM

data=$1 out=$2
lacuna=${LACUNA:-lacuna}
mkdir -p "$data" "$out"

# fetch FILE URL
fetch() { [ -s "$data/$1" ] || { curl -fsSL --retry 3 -o "$data/$1.part" "$2" && mv "$data/$1.part" "$data/$1"; }; }

if [ ! -f "$data/facts.tsv.zst" ]; then
  hub=https://media.githubusercontent.com/media/hetio/hetionet/main/hetnet/tsv
  raw=https://raw.githubusercontent.com
  fetch edges.sif.gz $hub/hetionet-v1.0-edges.sif.gz
  fetch nodes.tsv $raw/hetio/hetionet/main/hetnet/tsv/hetionet-v1.0-nodes.tsv
  fetch drugcentral-indications.tsv $raw/dhimmel/drugcentral/864a88deeaa374d3861b5b31047344faa4e6de5c/rephetio/indications.tsv
  fetch trials.tsv $raw/dhimmel/clintrials/4d63098c79042b7048f546720e727bc94e232182/data/DrugBank-DO-slim-counts.tsv
  gzip -dc "$data/edges.sif.gz" | tail -n +2 | zstd -qf -o "$data/facts.tsv.zst"
  tail -n +2 "$data/nodes.tsv" | cut -f1,2 | zstd -qf -o "$data/labels.tsv.zst"
  printf 'CtD\ttreats\nCbG\tbinds\nDaG\tassociates\nCcSE\tcauses\nCpD\tpalliates\nDrD\tdisease resembles\n' > "$data/relation-labels.tsv"
fi

echo "# The graph"
zstd -dcq "$data/labels.tsv.zst" > "$out/labels.tsv"
graph=$out/hetionet.lacuna
[ -f "$graph" ] || "$lacuna" import "$data/facts.tsv.zst" --entity-labels "$out/labels.tsv" --relation-labels "$data/relation-labels.tsv" -o "$graph"
"$lacuna" info -g "$graph" | head -8

# ask QUESTION…: what is asked, and the first answers.
ask() { echo; echo "## $1"; "$lacuna" ask -q -g "$graph" -n 15 "$1" | sed '/^$/d'; }

echo; echo "# Five questions"
ask '?c : treats(c, "multiple sclerosis (Disease)")'
ask "?c : treats(c, \"Alzheimer's disease\") & exists g: binds(c, g) & associates(\"Alzheimer's disease\", g)"
ask '?d : treats(Metformin, d)'
ask '?c : treats(c, "epilepsy syndrome") & !causes(c, Alopecia)'
echo; echo "## SPARQL: drugs for a disease that resembles asthma"
"$lacuna" sparql -q -g "$graph" --predict 'SELECT ?drug ?probability { ?drug <CtD> ?disease . ?disease <DrD> <Disease::DOID:2841> } ORDER BY DESC(?probability) LIMIT 5'

echo; echo "# A tenth of the treatments hidden"
"$lacuna" eval -g "$graph" --relation treats --hide 0.1 --seed 1

echo; echo "# Labels from elsewhere"
# Every pair of a compound and a disease that is scored: Rephetio's pairs where they are at hand, else all that treat nothing yet.
pairs=$out/pairs.tsv
if [ -f "$data/rephetio.tsv.zst" ]; then
  zstd -dcq "$data/facts.tsv.zst" | cut -f1,3 | tr '\t' '\n' | sort -u > "$out/entities.txt"
  zstd -dcq "$data/rephetio.tsv.zst" | awk -F'\t' -v OFS='\t' 'NR == FNR { known[$1]; next } $4 != "DM" && $1 in known && $2 in known { print $1, "CtD", $2 }' "$out/entities.txt" - > "$pairs"
else
  zstd -dcq "$data/facts.tsv.zst" | awk -F'\t' -v OFS='\t' '
    $2 == "CtD" { treats[$1 "\t" $3] } { for (i = 1; i <= 3; i += 2) { if ($i ~ /^Compound::/) compounds[$i]; if ($i ~ /^Disease::/) diseases[$i] } }
    END { for (c in compounds) for (d in diseases) if (!((c "\t" d) in treats)) print c, "CtD", d }' | sort > "$pairs"
fi
"$lacuna" predict -g "$graph" --score "$pairs" -o "$out/scored.tsv"

# right.tsv: compound, disease, source of the label.
awk -F'\t' -v OFS='\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  !("category" in at) || ($at["category"] != "SYM" && $at["category"] != "NOT") { print "Compound::" $at["drugbank_id"], "Disease::" $at["doid_id"], "DrugCentral" }' \
  "$data/drugcentral-indications.tsv" > "$out/right.tsv"
if [ -f "$data/rephetio.tsv.zst" ]; then
  zstd -dcq "$data/rephetio.tsv.zst" | awk -F'\t' -v OFS='\t' '$5 > 0 { print $1, $2, "trials" }' >> "$out/right.tsv"
else
  awk -F'\t' -v OFS='\t' 'FNR > 1 && $5 > 0 { print "Compound::" $1, "Disease::" $2, "trials" }' "$data/trials.tsv" >> "$out/right.tsv"
fi

# scores.tsv: compound, disease, score, by whom.
# In scored.tsv the identifiers stand behind the names, and are empty where a name is one.
tail -n +2 "$out/scored.tsv" | awk -F'\t' -v OFS='\t' '{ print $6 == "" ? $1 : $6, $7 == "" ? $3 : $7, $4, "Lacuna" }' > "$out/scores.tsv"
zstd -dcq "$data/facts.tsv.zst" | awk -F'\t' -v OFS='\t' '
  NR == FNR { if ($2 == "CtD") { degree[$1]++; degree[$3]++ } next } { print $1, $3, (1 + degree[$1]) * (1 + degree[$3]), "degrees" }' - "$pairs" >> "$out/scores.tsv"
[ ! -f "$data/rephetio.tsv.zst" ] || zstd -dcq "$data/rephetio.tsv.zst" | awk -F'\t' -v OFS='\t' 'NR == FNR { scored[$1, $3]; next } ($1, $2) in scored { print $1, $2, $3, "Rephetio" }' "$pairs" - >> "$out/scores.tsv"

# auroc SOURCE BY: how often a pair with the label scores above one without, half where they tie; then right ones among the first hundred.
auroc() {
  awk -F'\t' -v source="$1" -v by="$2" 'NR == FNR { if ($3 == source) right[$1 "\t" $2]; next } $4 == by { print $3 "\t" (($1 "\t" $2) in right) }' "$out/right.tsv" "$out/scores.tsv" |
    LC_ALL=C sort -t$'\t' -k1,1gr | awk -F'\t' -v by="$2" -v source="$1" '
      function flush() { sum += bad * (found + good / 2); found += good; wrong += bad; good = bad = 0 }
      $1 != last { flush(); last = $1 } { if ($2) good++; else bad++; if (NR <= 100) first += $2 }
      END { flush(); printf "%-12s %-10s %7d %9d %8.1f %10d\n", source, by, found, found + wrong, 100 * sum / (found * wrong), first }'
}
printf '%-12s %-10s %7s %9s %8s %10s\n' labels by right pairs AUROC 'first 100'
for source in DrugCentral trials; do
  for by in $(cut -f4 "$out/scores.tsv" | sort -u); do auroc "$source" "$by"; done
done

echo; echo "# The hundred likeliest treatments that the graph does not state, with reasons: $out/candidates.csv"
awk -F'\t' '$4 == "Lacuna"' "$out/scores.tsv" | LC_ALL=C sort -t$'\t' -k3,3gr | awk -F'\t' -v OFS='\t' 'NR <= 100 { print $1, "CtD", $2 }' > "$out/first.tsv"
"$lacuna" predict -g "$graph" --score "$out/first.tsv" --why --header-comment -o "$out/candidates.csv"
head -9 "$out/candidates.csv"
