#!/usr/bin/env bash
# Pins the API server of a Kubernetes in a module of its own, in the folder of its minor version: pin.sh v1.35.4
set -euo pipefail
cd "$(dirname "$0")"
version=$1 minor=${1#v}
minor=${minor%.*}
export GOFLAGS=-mod=mod
mkdir -p "$minor"
cd "$minor"
cat >pin.go <<EOF
//go:build tools

// Package pin pins the API server of Kubernetes $minor, see package binaries. It is never compiled.
package pin

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
EOF
printf 'module github.com/multicloud-ccm/multicloud-ccm/test/controlplane/minors/%s\n\ngo %s\n\nrequire k8s.io/kubernetes %s\n' \
  "$minor" "$(awk '/^go / { print $2 }' ../../../go.mod)" "$version" >go.mod
# Kubernetes replaces the modules that it publishes by folders of its own; their versions are v0 with the same numbers.
kubernetes=$(go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p')
awk '$2 == "=>" && $3 ~ /^\.\/staging\// { print $1 } $1 == "replace" && $4 ~ /^\.\/staging\// { print $2 }' "$kubernetes" |
  while read -r module; do go mod edit -replace "$module=$module@v0.${version#v1.}"; done
go mod tidy
