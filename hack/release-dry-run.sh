#!/usr/bin/env bash
# Builds the archives a release would publish, for every platform, with checksums.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 ldflags=$2
rm -rf dist
mkdir -p dist
for platform in linux/amd64 linux/arm64; do
  os=${platform%/*} arch=${platform#*/}
  name=multicloud-ccm_${version}_${os}_${arch}
  echo "==> $name"
  mkdir "dist/$name"
  GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -tags grpcnotrace -ldflags "$ldflags" \
    -o "dist/$name/cloud-controller-manager" ./cmd/cloud-controller-manager
  cp LICENSE README.md CHANGELOG.md "dist/$name/"
  tar -C dist --sort=name --owner=0 --group=0 --numeric-owner --mtime='1970-01-01 00:00:00Z' -czf "dist/$name.tar.gz" "$name"
  rm -r "dist/${name:?}"
done
(cd dist && sha256sum ./*.tar.gz | sed 's# \./# #' > checksums.txt && cat checksums.txt)
