#!/usr/bin/env bash
# Builds what a release publishes, and publishes it, in the steps that are its arguments:
#
#   check      refuses a version that the repository does not agree with
#   names      prints the images of this release
#   images     builds them, with archives and SBOMs, into dist/image
#   chart      packs the chart, which names these images, into dist/chart
#   archives   builds archives and packages of the command line, checksums, krew's manifest and
#              Homebrew's formula into dist/release; publishes nothing
#   draft      the same, signed, as a draft of a release on GitHub
#   push       pushes images and chart; dist/digests.txt says what came of it
#
# VERSION, BUILD_DATE and LDFLAGS come from the Makefile (`make release STEPS=…`). VARIANTS and
# PLATFORMS (of images) make less, DIST puts it elsewhere, IMAGE and CHARTS name another registry.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${VERSION:?}" "${DIST:=dist}" "${PLATFORMS:=linux/amd64,linux/arm64}"
: "${IMAGE:=ghcr.io/multicloud-ccm/multicloud-ccm}"
: "${CHARTS:=oci://${IMAGE%/*}/charts}"
: "${VARIANTS:=all $(ls internal/compiled/provider_*.go | sed 's/.*provider_\(.*\)\.go/\1/' | paste -sd' ')}"
number=${VERSION#v}

built=
releaser() {
  if [[ -z $built ]]; then
    mkdir -p "$DIST"
    (out=$(cd "$DIST" && pwd) && cd hack/releaser && go build -o "$out/releaser" .)
    built=yes
  fi
  "$DIST/releaser" "$@"
}

check() {
  local stated last
  stated=$(sed -n 's/^version: //p' charts/multicloud-ccm/Chart.yaml)
  [[ $stated == "$number" ]] || { echo "the version is $VERSION, Chart.yaml says $stated: deploy/*.yaml would name images that are not those of this release" >&2; return 1; }
  last=$(git tag --list 'v[0-9]*' --sort=-version:refname | grep -v -e - -e "^$VERSION\$" | head -1 || true)
  [[ -z $last || -e test/chart/testdata/upgrade/multicloud-ccm-${last#v}.tgz ]] || { echo "test/chart/testdata/upgrade has no chart of $last: nothing tests the upgrade from it" >&2; return 1; }
  releaser notes -version "$VERSION" -strict >/dev/null
  [[ -z $(git status --porcelain) ]] || { echo "files differ from the commit that is released" >&2; return 1; }
}

names() {
  local variant
  for variant in $VARIANTS; do
    if [[ $variant == all ]]; then echo "$IMAGE:$VERSION"; else echo "$IMAGE:$VERSION-$variant"; fi
  done
}

images() {
  local variant
  rm -rf "$DIST/image"
  for variant in $VARIANTS; do
    make --no-print-directory image PROVIDERS="${variant#all}" PLATFORMS="$PLATFORMS" VERSION="$VERSION" IMAGE="$IMAGE" DIST="$DIST"
  done
}

chart() {
  echo "==> packing the chart"
  rm -rf "$DIST/chart" "$DIST/chart-source"
  # shellcheck disable=SC2046 # one word per image
  releaser chart -version "$VERSION" -platforms "$PLATFORMS" -out "$DIST/chart-source/multicloud-ccm" $(names)
  bin/helm package "$DIST/chart-source/multicloud-ccm" --destination "$DIST/chart"
  releaser repack -time "$BUILD_DATE" "$DIST/chart/multicloud-ccm-$number.tgz"
}

archives() { goreleaser --snapshot --skip=sign; }

draft() {
  releaser notes -version "$VERSION" -strict >"$DIST/notes.md"
  # A rehearsal needs no account.
  goreleaser ${REHEARSAL:+--skip=publish} --release-notes "$DIST/notes.md"
  gh release upload "$VERSION" dist/release/ccm.yaml dist/release/multicloud-ccm.rb --clobber
}

goreleaser() {
  echo "==> goreleaser"
  local shell platform native
  native=dist/build/all/linux/$(go env GOHOSTARCH)/cloud-controller-manager
  mkdir -p dist/completion
  for shell in bash fish powershell zsh; do
    "$native" completion "$shell" >"dist/completion/cloud-controller-manager.$shell"
  done
  export VERSION BUILD_DATE LDFLAGS SOURCE_DATE_EPOCH
  SOURCE_DATE_EPOCH=$(date -u -d "$BUILD_DATE" +%s)
  rm -rf dist/plugin
  bin/goreleaser release --clean "$@"
  for platform in ${PLATFORMS//,/ }; do
    cmp "dist/build/all/$platform/cloud-controller-manager" dist/release/multicloud-ccm_"${platform/\//_}"_*/cloud-controller-manager \
      || { echo ".goreleaser.yaml builds another binary for $platform than 'make build' does" >&2; return 1; }
  done
  releaser manifests -version "$VERSION" -checksums dist/release/checksums.txt -out dist/release
  cat dist/release/checksums.txt
}

push() {
  echo "==> pushing to $IMAGE"
  releaser push -from "$DIST/image" -to "$IMAGE" -digests "$DIST/digests.txt"
  echo "==> pushing to $CHARTS"
  local flags=() said
  # A registry on this machine has no certificate.
  [[ $CHARTS != oci://127.0.0.1:* ]] || flags=(--plain-http)
  said=$(bin/helm push "$DIST/chart/multicloud-ccm-$number.tgz" "$CHARTS" "${flags[@]}" 2>&1) || { echo "$said" >&2; return 1; }
  echo "$said"
  sed -n "s|^Digest: sha256:\(.*\)|\1  ${CHARTS#oci://}/multicloud-ccm:$number|p" <<<"$said" >>"$DIST/digests.txt"
  grep -q "/charts/multicloud-ccm:\|/multicloud-ccm:$number\$" "$DIST/digests.txt" || { echo "helm said no digest of the chart" >&2; return 1; }
}

for step in "$@"; do
  case $step in
    check | names | images | chart | archives | draft | push) "$step" ;;
    *) echo "there is no step \"$step\"; there are check, names, images, chart, archives, draft and push" >&2; exit 2 ;;
  esac
done
