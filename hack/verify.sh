#!/usr/bin/env bash
# Fails when something that is derived from the code differs from what the code says.
set -euo pipefail
cd "$(dirname "$0")/.."

unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
  echo "not gofmt-clean:" "$unformatted" >&2
  exit 1
fi

# To vet the last two, go vet would go through all of Kubernetes first; `make lint` checks them.
for module in . test hack/image hack/pictures hack/releaser test/platform test/examples test/e2e/kubernetes test/e2e/kubernetes/nodes; do
  (cd "$module" && go mod tidy -diff) || { echo "go.mod of $module is not tidy: run 'go mod tidy' there" >&2; exit 1; }
  [[ $module == test/e2e/* ]] || (cd "$module" && go vet ./...)
done

# The chart's golden renders and deploy/ are compared by the tests of test/chart.
go run ./internal/gen
if ! git diff --exit-code --stat -- docs config charts internal/app; then
  echo "generated files differ from the code: run 'make generate' and commit the result" >&2
  exit 1
fi
untracked=$(git ls-files --others --exclude-standard -- docs config charts)
if [ -n "$untracked" ]; then
  echo "generated files are not committed:" "$untracked" >&2
  exit 1
fi
echo "verify: generated files, formatting and go.mod agree with the code"
