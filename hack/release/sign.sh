#!/usr/bin/env bash
# sign.sh DIGESTS SBOMS: signs everything in DIGESTS, lines "digest  name:tag" as hack/releaser
# writes them, and attests the SBOM of each image, SBOMS/<variant>.spdx.json. Keyless: cosign asks
# the workflow's identity for a certificate. COSIGN is another program for a test.
set -euo pipefail
digests=$1 sboms=$2
cosign=${COSIGN:-cosign}
while read -r digest name; do
  reference=${name%:*}@sha256:$digest
  echo "==> $name"
  "$cosign" sign --yes "$reference"
  # The chart holds no program, so it has no SBOM; the images that it names have.
  [[ $name != */charts/* ]] || continue
  variant=all tag=${name##*:}
  for sbom in "$sboms"/*.spdx.json; do
    candidate=$(basename "$sbom" .spdx.json)
    [[ $tag != *-"$candidate" ]] || variant=$candidate
  done
  "$cosign" attest --yes --type spdxjson --predicate "$sboms/$variant.spdx.json" "$reference"
done <"$digests"
