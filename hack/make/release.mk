##@ Release

GORELEASER  := $(BIN)/goreleaser
KREW        := $(BIN)/krew

# Where `make image` and `make release-dry-run` put their results, one per variant.
PLATFORMS   ?= linux/$(shell go env GOARCH)
DIST        ?= dist
IMAGE       ?= ghcr.io/multicloud-ccm/multicloud-ccm
VARIANT     := $(or $(subst $(space),-,$(sort $(subst $(comma), ,$(PROVIDERS)))),all)
IMAGE_TOOL  := $(BIN)/image
platform_binaries = $(foreach p,$(subst $(comma), ,$(PLATFORMS)),$(DIST)/build/$(VARIANT)/$(p)/cloud-controller-manager)

.PHONY: image
image: image-tool ## Build dist/image/<variant> and .tar, without Docker (PROVIDERS=a,b PLATFORMS=linux/amd64,linux/arm64).
	@for binary in $(platform_binaries); do platform=$${binary#$(DIST)/build/$(VARIANT)/} platform=$${platform%/*}; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} $(MAKE) --no-print-directory build BINARY=$$binary || exit 1; done
	@echo "==> packing $(DIST)/image/$(VARIANT)"
	@$(IMAGE_TOOL) build -out $(DIST)/image -repository $(IMAGE) -version $(VERSION) -commit $(COMMIT) -created $(BUILD_DATE) $(platform_binaries)

.PHONY: image-test
image-test: image ## Test the image builder, also on the image it builds from the real binary.
	cd hack/image && go test ./... -args -layout $(abspath $(DIST))/image/$(VARIANT)

.PHONY: rootfs
rootfs: image-tool
	@$(IMAGE_TOOL) rootfs -binary $(BINARY) -created $(BUILD_DATE) -out $(ROOTFS)

.PHONY: image-tool
image-tool: need-go
	@cd hack/image && go build -buildvcs=false -o ../../$(IMAGE_TOOL) .

.PHONY: release-dry-run
release-dry-run: ## Build all that a release publishes into dist/: archives, images, SBOMs, chart, checksums.
	@rm -rf dist
	@$(MAKE) --no-print-directory release STEPS='images chart archives'

# Ruby evaluates the formula; the test says so where it is missing.
.PHONY: release-test
release-test: need-go $(KREW) ## Check the archives, packages and manifests that release-dry-run has left in dist; krew installs them (ruby, dpkg-deb).
	cd hack/releaser && go test -count=1 -v ./dryrun -args -dist $(abspath dist) -krew $(abspath $(KREW))

REHEARSED   ?= all sim
.PHONY: release-rehearsal
release-rehearsal: need-go ## Carry out the release workflow here, with stand-ins for what needs an account (REHEARSED="all sim": these images).
	@cd hack/releaser && go run ./rehearse -variants '$(REHEARSED)'

STEPS       ?= names
.PHONY: release
release: need-go helm $(if $(filter archives draft,$(STEPS)),$(GORELEASER)) ## Carry out steps of a release: STEPS="check images chart draft push", see hack/release.sh.
	@VERSION='$(VERSION)' BUILD_DATE='$(BUILD_DATE)' LDFLAGS='$(LDFLAGS)' hack/release.sh $(STEPS)

$(GORELEASER): hack/release/go.mod hack/release/go.sum
	@echo "==> building goreleaser (once, some minutes)"
	@cd hack/release && go build -o ../../$(GORELEASER) github.com/goreleaser/goreleaser/v2

# A module of its own: krew needs Kubernetes' libraries of 2021.
$(KREW): hack/krew/go.mod hack/krew/go.sum
	@echo "==> building krew (once)"
	@cd hack/krew && go build -o ../../$(KREW) sigs.k8s.io/krew/cmd/krew
