# multicloud-ccm. `make` prints this list of targets; every target says what it does after ##.

SHELL       := /bin/bash -o pipefail
BIN         := bin
BINARY      := $(BIN)/cloud-controller-manager
# Kubernetes' libraries refuse to start with a version that does not begin with vX.Y.Z.
VERSION     ?= $(shell git describe --tags --match='v[0-9]*' --dirty 2>/dev/null || echo v0.0.0-$$(git describe --always --dirty --exclude='*' 2>/dev/null || echo unknown))
COMMIT      ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
# The commit's time, not the build's: two builds of one commit are the same bytes.
BUILD_DATE  ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || echo 1970-01-01T00:00:00Z)

# PROVIDERS=digitalocean,sim builds a slim binary with only these; empty builds all.
PROVIDERS   ?=
comma       := ,
space       := $(subst ,, )
# "a, b" and "a b" are "a,b".
override PROVIDERS := $(subst $(space),$(comma),$(strip $(subst $(comma), ,$(PROVIDERS))))
# grpcnotrace keeps text/template's reflection out, which would keep every method of every
# SDK in the binary (docs/adr/0003-build-tags-and-size.md).
TAGS        := grpcnotrace$(if $(PROVIDERS),$(comma)slim$(comma)$(PROVIDERS))
# Only the standard library and the kernel are inlined: 3 to 5 MB (docs/adr/0003-build-tags-and-size.md). The commands in
# internal and the drivers, which wait for their cloud, are not: 0.5 MB.
NOT_INLINED := github.com k8s.io sigs.k8s.io google.golang.org golang.org/x go.opentelemetry.io go.etcd.io go.uber.org go.yaml.in gopkg.in cel.dev cloud.google.com
GCFLAGS     := $(NOT_INLINED:%=-gcflags=%/...=-l) -gcflags=github.com/multicloud-ccm/...= -gcflags=github.com/multicloud-ccm/multicloud-ccm/internal/...=-l -gcflags=github.com/multicloud-ccm/multicloud-ccm/providers/...=-l
# The same flags for every go command, so that build, test, vet and lint share compiled packages.
export GOFLAGS := -trimpath -tags=grpcnotrace $(GCFLAGS)
export CGO_ENABLED := 0

VERSION_PKG := k8s.io/component-base/version
LDFLAGS     := -s -w -X $(VERSION_PKG).gitVersion=$(VERSION) -X $(VERSION_PKG).gitCommit=$(COMMIT) -X $(VERSION_PKG).buildDate=$(BUILD_DATE)
# Without the repository's own stamp: a build from an archive or in Docker is the same bytes.
GO_BUILD    := go build -buildvcs=false -tags $(TAGS) -ldflags '$(LDFLAGS)'
HELM        := $(BIN)/helm
PROGRESS    := $(BIN)/progress
RACE_BINARY := $(BIN)/race/cloud-controller-manager
FUZZTIME    ?= 10000x
export TEST_FLAGS ?=
# The race detector needs cgo.
# At the end of every program, each package's tests and each run of the binary, it would sleep for a second.
GO_TEST     := CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race

.DEFAULT_GOAL := help

##@ Start here

.PHONY: help
help: ## Print this list.
	@awk 'BEGIN {FS = ":.*## "; printf "Usage: make <target> [VARIABLE=value]\n"} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

CLOUD       ?= sim
.PHONY: quickstart
quickstart: need-go ## Two tiny clusters side by side, without and with this CCM (CLOUD=aws, CLOUD=digitalocean, CLOUD=gce, CLOUD=hcloud, CLOUD=openstack, CLOUD=static; REAL=1 for one that runs pods).
ifdef REAL
	@case $(CLOUD) in sim | digitalocean | hcloud | openstack) ;; *) echo "REAL=1 has the clouds sim, digitalocean, hcloud and openstack, not \"$(CLOUD)\": leave REAL=1 out" >&2; exit 1 ;; esac
	@missing=$$(cd test && go run ./cmd/cluster missing) && [ -z "$$missing" ] || { echo "cannot run: $$missing" >&2; exit 1; }
	@$(MAKE) --no-print-directory helm image PROVIDERS=$(CLOUD)
	@cd test && go run ./cmd/cluster show -cloud $(CLOUD)
else
	@MAKE='$(MAKE_COMMAND)' test/cmd/quickstart/run.sh -cloud $(CLOUD)
endif

.PHONY: cluster
cluster: need-go ## A cluster whose nodes run pods, until Ctrl-C: Linux, root, `make node-deps`.
	@cd test && go run ./cmd/cluster up

# What the tests run: the program, and where the race detector watches all of them, one with it.
TEST_PROGRAMS = build-if-needed $(if $(filter all,$(RACE)),race-binary) $(PROGRESS)
RUN_TESTS     = CCM_BINARY='$(or $(CCM_BINARY),$(CURDIR)/$(if $(filter all,$(RACE)),$(RACE_BINARY),$(BINARY)))' CCM_PLAIN_BINARY='$(or $(CCM_BINARY),$(CURDIR)/$(BINARY))' RACE='$(RACE)' hack/test.sh

.PHONY: test
test: need-go need-cc controlplane $(TEST_PROGRAMS) ## Run the tests, against a real control plane and real HTTP APIs, all but those that take minutes (RACE=all: the race detector watches all of them).
	@$(RUN_TESTS)

.PHONY: test-slow
test-slow: need-go need-cc controlplane $(TEST_PROGRAMS) ## Run the tests that take minutes: a thousand Nodes, three emulators end to end, the program of each provider (RACE=all as for test).
	@$(RUN_TESTS) slow

##@ Build

.PHONY: build
build: need-go known-providers ## Build bin/cloud-controller-manager (PROVIDERS=a,b for a slim one).
	@echo "==> building $(BINARY) ($(if $(PROVIDERS),$(PROVIDERS),all providers))"
	@mkdir -p $(dir $(BINARY))
	@$(GO_BUILD) -o $(BINARY) ./cmd/cloud-controller-manager
	@ls -l $(BINARY) | awk '{printf "    %.1f MB\n", $$5/1000000}'

.PHONY: build-if-needed
build-if-needed:
	@$(MAKE) --no-print-directory build PROVIDERS=

# What the system tests run, built once for all of them.
.PHONY: race-binary
race-binary: need-go need-cc
	@echo "==> building $(RACE_BINARY) (with the race detector)"
	@mkdir -p $(dir $(RACE_BINARY))
	@CGO_ENABLED=1 go build -race -buildvcs=false -ldflags '-s -w' -o $(RACE_BINARY) ./cmd/cloud-controller-manager

$(PROGRESS): $(wildcard hack/progress/*.go) | need-go
	@mkdir -p $(BIN)
	@cd hack && go build -buildvcs=false -o ../$(PROGRESS) ./progress

.PHONY: controlplane
controlplane: need-go ## Build etcd, kube-apiserver and friends from Go modules into the cache.
	@cd test && go run ./controlplane/cmd/controlplane build

.PHONY: controlplane-nodes
controlplane-nodes: need-go ## Build kube-scheduler, kubelet and kube-proxy too.
	@cd test && go run ./controlplane/cmd/controlplane build -nodes

.PHONY: node-deps
node-deps: ## Install what nodes that run pods need, and Kubernetes' own tests: containerd, nftables and a few others (Debian, root).
	@hack/node-deps.sh kubernetes

.PHONY: generate
generate: need-go ## Regenerate everything that is derived from declarations in code.
	go run ./internal/gen
	cd test && go test ./chart -run 'Golden|Deploy|Notes|Problems' -update
	cd test && go test ./build -run SizesInDocuments -update

.PHONY: helm
helm: $(HELM) ## Build bin/helm, the helm CLI of the version the tests use.

# What helm's own release build sets: its version, and the Kubernetes that `helm template`
# takes a cluster for.
$(HELM): test/go.mod test/go.sum | need-go
	@echo "==> building helm (once)"
	@mkdir -p $(BIN)
	@cd test && minor=$$(go list -m -f '{{.Version}}' k8s.io/client-go | cut -d. -f2) && go build -o ../$(HELM) -ldflags "-s -w \
	  -X helm.sh/helm/v3/internal/version.version=$$(go list -m -f '{{.Version}}' helm.sh/helm/v3) \
	  -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$$minor" helm.sh/helm/v3/cmd/helm


.PHONY: clean
clean: ## Remove build results.
	rm -rf $(BIN) dist


##@ Test

.PHONY: race
race: ## Like test and test-slow, twice, with the race detector everywhere and shuffled order.
	$(MAKE) test test-slow RACE=all TEST_FLAGS="-count=2 -shuffle=on"

.PHONY: fuzz
fuzz: need-go ## Run every fuzzer with FUZZTIME inputs (10000x).
	hack/fuzz.sh $(FUZZTIME)

.PHONY: conformance
conformance: need-go ## Run the driver conformance suite on every provider, and on the example.
	$(GO_TEST) -run Conformance ./providers/... ./examples/...
	cd test && $(GO_TEST) ./conformance/...

# What was said on the command line, or else DigitalOcean's, which is the only one with published limits.
NODES       ?= 100,1000,5000
BENCH_CLOUD := $(if $(filter command line environment,$(origin CLOUD)),$(CLOUD),digitalocean)
.PHONY: bench
bench: need-go controlplane ## Measure calls, writes and time (CLOUD=gce,aws NODES=100,1000,5000; RECORD=1 publishes them; PROFILE=DIR writes CPU and heap profiles instead).
	cd test && go run ./cmd/bench -cloud $(BENCH_CLOUD) -nodes $(NODES) $(if $(RECORD),-record) $(if $(PROFILE),-profiles $(abspath $(PROFILE))) $(BENCH_FLAGS)

.PHONY: chaos
chaos: need-go controlplane build-if-needed ## Attack the binary and print what is lost: kill loop, mass removal, two leaders, tenants, hostile answers (ONLY="kill loop" for one), and measure the memory for the largest answers of EC2.
	cd test && go run ./cmd/chaos -binary ../$(BINARY) -only '$(ONLY)'
	@# Not in `make test`: the race detector takes memory of its own.
	cd test && go test -count=1 -v ./memory

# Two control planes, which wait most of the time: other steps can run beside it.
SOAK        ?= 5m
SEED        ?= 1
.PHONY: soak
soak: need-go controlplane build-if-needed ## Do all sorts of things at once for SOAK=5m, with faults and kills, and print what is lost, doubled or left (SEED=1 decides what happens).
	cd test && go run ./cmd/chaos -binary ../$(BINARY) -only 'soak,soak Hetzner' -soak $(SOAK) -seed $(SEED)

# With a cloud: what is the same on all clouds, on that one. Its own tests are e2e-aws and so on.
.PHONY: e2e
e2e: need-go need-cc controlplane build-if-needed ## Run all end-to-end tests; CLOUD=x: those that are the same on all clouds, on x.
ifneq ($(filter command line environment,$(origin CLOUD)),)
	cd test && E2E_CLOUD=$(CLOUD) $(GO_TEST) -count=1 -v -p 1 -timeout 60m $(TEST_FLAGS) ./e2e/node ./e2e/balancer
else
	cd test && $(GO_TEST) -timeout 30m $(TEST_FLAGS) ./e2e/...
	@$(MAKE) --no-print-directory e2e-node
endif

# What is missing for nodes that run pods ends this with a line, and with CI=true, where it is
# installed first, with an error.
.PHONY: e2e-node
e2e-node: need-go need-cc ## Run only those with helm, on nodes that run pods (Linux, root, `make node-deps`).
	@test "$$CI" != true || hack/node-deps.sh
	@missing=$$(cd test && go run ./cmd/cluster missing) && if [ -n "$$missing" ]; then \
	  echo "not run: the end-to-end tests on nodes that run pods: $$missing" >&2; test "$$CI" != true; \
	else $(MAKE) --no-print-directory e2e-node-ready; fi

.PHONY: e2e-node-ready
e2e-node-ready: controlplane-nodes helm
	@for cloud in sim digitalocean; do $(MAKE) --no-print-directory image PROVIDERS=$$cloud || exit 1; done
	cd test && E2E_NODE=1 $(GO_TEST) -count=1 -v -timeout 30m $(TEST_FLAGS) ./cluster/plane ./e2e/cluster

# KUBERNETES_FLAGS are those of test/cmd/e2ekubernetes. All specs are 17, two of which take a quarter of an hour, and one of Nodes
# with a Kubernetes of its own, which is built once. The command is started by itself, because `go run` would end without it at SIGTERM.
# What it leaves behind when it is interrupted does not depend on the cloud, and is tested after a whole run on sim.
KUBERNETES_RUNNER = $(DIST)/e2e-kubernetes/e2ekubernetes
KUBERNETES_FLAGS ?= $(if $(CI_ALL),-slow -nodes)
.PHONY: e2e-kubernetes
e2e-kubernetes: need-go need-cc ## Run Kubernetes' own tests of load balancers with this CCM (CLOUD=sim, FOCUS=text, CI_ALL=1 for all, RECORD=1 publishes; Linux, root, `make node-deps`).
	@test "$$CI" != true || hack/node-deps.sh kubernetes
	@cd test && go build -o ../$(KUBERNETES_RUNNER) ./cmd/e2ekubernetes && ../$(KUBERNETES_RUNNER) -check -cloud $(CLOUD)
	@$(MAKE) --no-print-directory controlplane-nodes helm
	@$(MAKE) --no-print-directory image PROVIDERS=$(CLOUD)
	cd test/e2e/kubernetes && CGO_ENABLED=0 go test -vet=off github.com/multicloud-ccm/multicloud-ccm/test/e2e/kubernetes/nodes/program
	cd test && exec ../$(KUBERNETES_RUNNER) -cloud $(CLOUD) $(if $(FOCUS),-focus '$(FOCUS)') $(if $(RECORD),-record) $(KUBERNETES_FLAGS)
	$(if $(FOCUS)$(filter-out sim,$(CLOUD)),,cd test && E2E_NODE=1 go test -count=1 -v -timeout 40m $(TEST_FLAGS) ./cmd/e2ekubernetes)

# Chart, Nodes and Services on the API servers that modules of test/controlplane pin, which are built once (minutes). AWS is a
# moto server. What differs from `make e2e` is the API server alone.
OLDER        ?= oldest previous
OLDER_CLOUDS = sim digitalocean gce hcloud aws static
.PHONY: e2e-oldest
e2e-oldest: need-go need-cc moto build-if-needed race-binary ## Run what matters of the chart, of Nodes and of Services on the oldest Kubernetes that the chart accepts, and on the one before the newest (OLDER=oldest, OLDER=previous: on that one).
	@for kubernetes in $(OLDER); do echo "==> Kubernetes: $$kubernetes"; \
	  E2E_KUBERNETES=$$kubernetes $(MAKE) --no-print-directory e2e-older-one || exit 1; done

# On the one that E2E_KUBERNETES names.
OLDER_TEST = $(GO_TEST) -count=1 -v -timeout 60m $(TEST_FLAGS)
.PHONY: e2e-older-one
e2e-older-one:
	cd test && $(OLDER_TEST) -run 'TestReportsThePinnedVersion' ./controlplane
	cd test && CCM_BINARY=$(CURDIR)/$(BINARY) go test -count=1 -v -timeout 30m $(TEST_FLAGS) -run 'Test(Install|ServerAccepts|ProgramRuns)$$' ./chart
	@for cloud in $(OLDER_CLOUDS); do echo "==> $$cloud"; \
	  (cd test && E2E_CLOUD=$$cloud CCM_BINARY=$(CURDIR)/$(RACE_BINARY) $(OLDER_TEST) -p 1 -run 'Test(InitialiseEach|GoneMachine|Life|SecondEnsure)$$' ./e2e/node ./e2e/balancer) || exit 1; done

# Minutes for each of them, one after the other. MINORS=1.33,1.34 chooses some.
.PHONY: e2e-versions
e2e-versions: need-go moto build-if-needed ## Run tests of the chart, of Nodes and of Services on the API server of each Kubernetes that the chart accepts (MINORS=1.33, RECORD=1 publishes).
	cd test && CCM_BINARY=$(CURDIR)/$(BINARY) go run ./cmd/e2eversions $(if $(MINORS),-only $(MINORS)) $(if $(RECORD),-record)

.PHONY: openstack-lab
openstack-lab: ## Install and start a real OpenStack on loopback, for tests (Debian 12, root).
	@test/openstack/lab/up.sh

.PHONY: openstack-lab-down
openstack-lab-down: ## Stop the OpenStack of `make openstack-lab`; its state stays.
	@test/openstack/lab/down.sh

# PACKAGES are which of the packages of tests on OpenStack's or AWS's APIs run.
on_apis = $(if $(PACKAGES),$(filter $(PACKAGES),$(1)),$(1))

# All share one lab. Tests of the first two commands stop a service of it or write past its APIs;
# those of the last one have projects of their own, of which the lab can take four at a time.
OPENSTACK_TEST   = E2E_OPENSTACK=1 $(GO_TEST) -count=1 -v -timeout 60m $(TEST_FLAGS)
OPENSTACK_SHARED = $(call on_apis,test/conformance/openstack test/e2e/openstack)
.PHONY: e2e-openstack
e2e-openstack: need-go need-cc openstack-lab ## Run the tests on a real OpenStack (Debian 12, root), and leave it running.
	$(if $(call on_apis,test/openstack),cd test && $(OPENSTACK_TEST) -p 1 ./openstack/...)
	$(if $(call on_apis,test/e2e/openstack),cd test && $(OPENSTACK_TEST) -run '^TestAlone' ./e2e/openstack)
	$(if $(OPENSTACK_SHARED),cd test && $(OPENSTACK_TEST) -p 2 -parallel 4 -skip '^TestAlone' $(OPENSTACK_SHARED:test/%=./%))

.PHONY: e2e-openstack-table
e2e-openstack-table: need-go ## Write the page that says which test is about which OpenStack key.
	cd test && E2E_OPENSTACK=1 go test ./e2e/openstack -count=1 -run TestTable -update

# One package after the other: each has a moto of its own, which takes a core.
AWS_TESTS = $(patsubst test/%,./%/...,$(call on_apis,test/aws test/conformance/aws test/e2e/aws))
.PHONY: e2e-aws
e2e-aws: need-go need-cc moto ## Run the tests on AWS's APIs, those of a moto server (Python 3 with venv).
	cd test && E2E_AWS=1 $(GO_TEST) -count=1 -p 1 -timeout 30m $(TEST_FLAGS) $(AWS_TESTS)

.PHONY: e2e-aws-table
e2e-aws-table: need-go ## Write the page that says which test is about which AWS annotation.
	cd test && E2E_AWS=1 go test ./e2e/aws -count=1 -run TestTable -update

.PHONY: moto
moto: ## Install the moto server, AWS's APIs in memory, into the cache.
	@test/aws/moto/venv.sh

.PHONY: upstream-gce
upstream-gce: need-go ## Run the code of Google's own CCM against our emulator of its API, and print what it costs (minutes to compile).
	cd test/upstream/gce && go test -count=1 -v -timeout 30m ./...

.PHONY: upstream-aws
upstream-aws: need-go controlplane moto build-if-needed ## Set AWS's own CCM beside this one, on a moto server: both are started with the configuration of another account.
	cd test && E2E_UPSTREAM=1 CCM_BINARY=$(CURDIR)/$(BINARY) go test -count=1 -v -timeout 30m ./e2e/upstream $(TEST_FLAGS)

.PHONY: known-providers
known-providers:
	@for p in $(subst $(comma), ,$(PROVIDERS)); do test -f internal/compiled/provider_$$p.go || { \
	  echo "PROVIDERS: there is no provider \"$$p\"; there are: $(patsubst internal/compiled/provider_%.go,%,$(wildcard internal/compiled/provider_*.go))" >&2; exit 1; }; done

.PHONY: need-cc
need-cc:
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null || { echo "a C compiler is missing, the race detector needs one: install gcc and the C library's headers (Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }

.PHONY: need-go
need-go:
	@command -v go >/dev/null || { echo "Go is missing: install Go $$(awk '/^go /{print $$2}' go.mod) or newer, see https://go.dev/doc/install" >&2; exit 1; }

include hack/make/docs.mk hack/make/release.mk hack/make/lint.mk
