#!/usr/bin/env bash
# Builds everything a release publishes, for every platform and every variant, and publishes
# nothing: images and SBOMs in dist/image, chart in dist/chart, archives and checksums in
# dist/release. VERSION, BUILD_DATE and LDFLAGS come from the Makefile.
set -euo pipefail
cd "$(dirname "$0")/.."
platforms=linux/amd64,linux/arm64
rm -rf dist

for variant in '' $(ls cmd/cloud-controller-manager/provider_*.go | sed 's/.*provider_\(.*\)\.go/\1/'); do
  make --no-print-directory image PROVIDERS="$variant" PLATFORMS=$platforms VERSION="$VERSION"
done

if [ -d charts/multicloud-ccm ]; then
  echo "==> packing the chart"
  (cd test && go run helm.sh/helm/v3/cmd/helm package ../charts/multicloud-ccm --destination ../dist/chart \
    --version "${VERSION#v}" --app-version "$VERSION")
fi

echo "==> goreleaser"
SOURCE_DATE_EPOCH=$(date -u -d "$BUILD_DATE" +%s)
export SOURCE_DATE_EPOCH
bin/goreleaser release --snapshot --clean
for platform in ${platforms//,/ }; do
  cmp "dist/build/all/$platform/cloud-controller-manager" dist/release/multicloud-ccm_"${platform/\//_}"_*/cloud-controller-manager \
    || { echo ".goreleaser.yaml builds another binary for $platform than 'make build' does" >&2; exit 1; }
done
cat dist/release/checksums.txt
