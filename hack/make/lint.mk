##@ Lint

LINT        := $(BIN)/golangci-lint
DEADCODE    := $(BIN)/deadcode
ACTIONLINT  := $(BIN)/actionlint

.PHONY: lint
lint: need-go $(LINT) $(DEADCODE) $(ACTIONLINT) ## Run the linters, the import law among them, and look for functions that nothing calls.
	@echo "==> actionlint"
	@$(ACTIONLINT)
	@$(MAKE) --no-print-directory lint-prose
	@found=$$($(DEADCODE) -tags $(TAGS) ./cmd/... ./internal/gen) && { test -z "$$found" || { echo "nothing calls these, neither the binary nor the generators:" >&2; echo "$$found" >&2; exit 1; }; }
	$(LINT) run ./...
	cd test && ../$(LINT) run ./...
	cd hack/image && ../../$(LINT) run ./...
	cd hack/releaser && ../../$(LINT) run ./...
	cd hack/pictures && ../../$(LINT) run ./...
	cd test/platform && ../../$(LINT) run ./...
	cd test/examples && ../../$(LINT) run ./...

# By themselves, because each needs a whole Kubernetes compiled, of a version of its own.
.PHONY: lint-kubernetes
lint-kubernetes: need-go $(LINT) ## Run the linters on the programs with Kubernetes' own tests.
	cd test/e2e/kubernetes && ../../../$(LINT) run ./...
	cd test/e2e/kubernetes/nodes && ../../../../$(LINT) run ./...

# Generated pages say what declarations in code say; records of decisions stay as they were written.
.PHONY: lint-prose
lint-prose: need-go ## Look for sentences in documents that are hard to read, and for code that the site cuts (hack/prose).
	@echo "==> prose"
	@cd hack && go run ./prose $$(git ls-files '../*.md' ':!../docs/adr' ':!../docs/reference')
	@cd hack && go run ./prose -code ../README.md ../CONTRIBUTING.md $$(git ls-files '../charts/*.md' '../docs/*.md')

.PHONY: vulncheck
vulncheck: need-go ## Look for known vulnerabilities in what the binary calls (GOVULNDB=file:///folder where there is no network).
	hack/vulncheck.sh

.PHONY: figures
figures: ## Print the sizes of kernel and providers: lines, files per folder, methods per type.
	@hack/figures.sh

.PHONY: verify
verify: need-go ## Fail when generated files, formatting or go.mod differ from what the code says.
	hack/verify.sh

$(LINT): hack/go.mod hack/go.sum
	@echo "==> building golangci-lint (once)"
	@cd hack && go build -o ../$(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(DEADCODE): hack/go.mod hack/go.sum
	@echo "==> building deadcode (once)"
	@cd hack && go build -o ../$(DEADCODE) golang.org/x/tools/cmd/deadcode

# A module of its own: golangci-lint needs another version of its YAML library.
$(ACTIONLINT): hack/actionlint/go.mod hack/actionlint/go.sum
	@echo "==> building actionlint (once)"
	@cd hack/actionlint && go build -o ../../$(ACTIONLINT) github.com/rhysd/actionlint/cmd/actionlint
