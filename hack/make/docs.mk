##@ Documentation

# Its generator announces a successor on every run.
MKDOCS      = NO_MKDOCS_2_WARNING=1 $$(hack/docs/venv.sh)/bin/mkdocs
.PHONY: docs
docs: ## Build the documentation as a site in dist/site; a dead link or anchor is an error (Python 3.10 with venv, node with npm).
	@$(MKDOCS) build --strict --quiet && echo "    $$(find dist/site -name '*.html' | wc -l) pages in dist/site, no dead link"

.PHONY: docs-serve
docs-serve: ## Show the documentation on http://127.0.0.1:8000 while you write it.
	@$(MKDOCS) serve --dev-addr 127.0.0.1:8000
