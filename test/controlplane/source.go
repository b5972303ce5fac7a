package controlplane

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// program is one executable and where it comes from.
type program struct {
	name       string // of the executable
	pkg        string // import path of its main package
	module     string // nested module, relative to this package, that pins it
	versionPin string // module path whose version is the program's version
}

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	kubectl           = "kubectl"
	scheduler         = "kube-scheduler"
	kubelet           = "kubelet"
	kubeProxy         = "kube-proxy"
)

const apiServerPackage = "k8s.io/kubernetes/cmd/kube-apiserver"

// programs lists all there is to build, what every control plane needs first.
var programs = []program{
	{etcd, "go.etcd.io/etcd/server/v3", "etcd", "go.etcd.io/etcd/server/v3"},
	{apiServer, apiServerPackage, "binaries", "k8s.io/kubernetes"},
	{controllerManager, "k8s.io/kubernetes/cmd/kube-controller-manager", "binaries", "k8s.io/kubernetes"},
	{kubectl, "k8s.io/kubernetes/cmd/kubectl", "binaries", "k8s.io/kubernetes"},
	{scheduler, "k8s.io/kubernetes/cmd/kube-scheduler", "binaries", "k8s.io/kubernetes"},
	{kubelet, "k8s.io/kubernetes/cmd/kubelet", "binaries", "k8s.io/kubernetes"},
	{kubeProxy, "k8s.io/kubernetes/cmd/kube-proxy", "binaries", "k8s.io/kubernetes"},
}

// buildFlags are common to all programs. grpcnotrace lets the linker drop
// what only gRPC's trace pages keep alive.
var buildFlags = []string{"-mod=readonly", "-buildvcs=false", "-trimpath", "-tags=grpcnotrace"}

// sourceDir returns the directory of this package's source, which holds the
// nested modules. It is known from the compiler unless the caller was built
// with -trimpath; then it is looked for upwards from the working directory.
func sourceDir() (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if dir := filepath.Dir(file); hasModules(dir) {
			return dir, nil
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the control plane's modules: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if source := filepath.Join(dir, "test", "controlplane"); hasModules(source) {
			return source, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("find the control plane's modules: run inside a clone of multicloud-ccm")
		}
	}
}

func hasModules(dir string) bool {
	for _, p := range programs {
		if _, err := os.Stat(filepath.Join(dir, p.module, "go.mod")); err != nil {
			return false
		}
	}
	return true
}

// version returns the version of p that its module in source requires.
func (p program) version(source string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(source, p.module, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", p.name, err)
	}
	pin := regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(p.versionPin) + ` (v\S+)`)
	match := pin.FindSubmatch(mod)
	if match == nil {
		return "", fmt.Errorf("read the version of %s: %s/go.mod does not require %s", p.name, p.module, p.versionPin)
	}
	return string(match[1]), nil
}

// ldflags strips the program and stamps Kubernetes' version on it, which its
// /version endpoint and its clients go by.
func ldflags(version string) string {
	const pkg = "k8s.io/component-base/version."
	flags := []string{"-s", "-w"}
	if parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3); len(parts) == 3 {
		flags = append(flags,
			"-X "+pkg+"gitVersion="+version,
			"-X "+pkg+"gitCommit=",
			"-X "+pkg+"gitMajor="+parts[0],
			"-X "+pkg+"gitMinor="+parts[1])
	}
	return strings.Join(flags, " ")
}

// cacheKey names what the programs depend on: pinned modules, flags, platform.
func cacheKey(source string) (string, error) {
	hash := sha256.New()
	for _, p := range programs {
		for _, file := range []string{"go.mod", "go.sum"} {
			data, err := os.ReadFile(filepath.Join(source, p.module, file))
			if err != nil {
				return "", fmt.Errorf("read what %s is built from: %w", p.name, err)
			}
			fmt.Fprintf(hash, "%s %d\n%s", file, len(data), data)
		}
		fmt.Fprintln(hash, p, ldflags("v0.0.0"))
	}
	fmt.Fprintln(hash, buildFlags, runtime.GOOS, runtime.GOARCH)
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}
