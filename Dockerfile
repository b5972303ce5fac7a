# For people with Docker:
#
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg PROVIDERS=digitalocean .
#
# `make image` builds the same image without Docker and without a registry: it reads the last
# stage of this file (hack/image), and this file calls its files. See docs/how-to/images.md.
ARG GO_VERSION=1.26
# Comma-separated; empty means every provider.
ARG PROVIDERS=
ARG VERSION=v0.0.0-unknown
ARG COMMIT=unknown
# The commit's time, not the build's, so that two builds are equal.
ARG BUILD_DATE=1970-01-01T00:00:00Z

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
WORKDIR /src
COPY . .
ARG PROVIDERS VERSION COMMIT BUILD_DATE TARGETOS TARGETARCH
# Cross-compiled on the builder's own platform: no emulation.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=$TARGETOS GOARCH=$TARGETARCH make build PROVIDERS=$PROVIDERS VERSION=$VERSION COMMIT=$COMMIT BUILD_DATE=$BUILD_DATE
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    make rootfs ROOTFS=/rootfs BUILD_DATE=$BUILD_DATE

FROM scratch
ARG VERSION COMMIT BUILD_DATE
COPY --from=build /rootfs/ /
# nonroot. A number, so that the kubelet can see that it is not root.
USER 65532:65532
ENTRYPOINT ["/cloud-controller-manager"]
LABEL org.opencontainers.image.title="multicloud-ccm" \
      org.opencontainers.image.description="One Kubernetes cloud controller manager for every cloud" \
      org.opencontainers.image.source="https://github.com/multicloud-ccm/multicloud-ccm" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$BUILD_DATE"
