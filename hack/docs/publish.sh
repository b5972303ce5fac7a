#!/usr/bin/env bash
# Publishes the documentation with mike: publish.sh dev, or publish.sh vX.Y.Z. A version is published
# as its minor version; "latest" is the highest version that has a tag.
set -euo pipefail
version=${1:?say dev or a version such as v0.2.0}
if [[ $version == dev ]]; then
  exec mike deploy --push dev
fi
highest() { git tag --list "$1" --sort=-v:refname | grep -Ex 'v[0-9]+\.[0-9]+\.[0-9]+' | head -n 1; }
minor=${version%.*}
if [[ $(highest "$minor.*") != "$version" ]]; then
  echo "the documentation of $minor is that of a later version than $version: nothing to publish"
elif [[ $(highest 'v*') != "$version" ]]; then
  mike deploy --push "$minor"
else
  mike deploy --push --update-aliases "$minor" latest
  mike set-default --push latest
fi
