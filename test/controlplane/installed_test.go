package controlplane

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// fake writes a program that says its version.
func fake(t *testing.T, dir, name, says string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func pinnedOf(t *testing.T, name string) (program, string, []int) {
	t.Helper()
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if p.name == name {
			version, err := p.version(source)
			if err != nil {
				t.Fatal(err)
			}
			return p, source, parts(strings.TrimPrefix(version, "v"))
		}
	}
	t.Fatalf("there is no program %s", name)
	return program{}, "", nil
}

// The places are looked at in order, and a version that does not fit is passed over.
func TestInstalledProgramsAreFound(t *testing.T) {
	home, assets, path := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("PATH", path+":/bin:/usr/bin")
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	p, source, pinned := pinnedOf(t, apiServer)
	version := func(minor int) string { return "Kubernetes v1." + strconv.Itoa(minor) + ".2" }
	envtest := func(minor int) string {
		return filepath.Join(home, ".local", "share", "kubebuilder-envtest", "k8s", "1."+strconv.Itoa(minor)+".2-"+runtime.GOOS+"-"+runtime.GOARCH)
	}

	find := func() string { found, _ := installed(context.Background(), p, source); return found }
	if got := find(); got != "" {
		t.Errorf("found %s on a machine without", got)
	}
	fake(t, path, apiServer, version(pinned[1]-olderMinors-1))
	if got := find(); got != "" {
		t.Errorf("took %s, which is too old", got)
	}
	inPath := fake(t, path, apiServer, version(pinned[1]-olderMinors))
	if got := find(); got != inPath {
		t.Errorf("found %q, want that of PATH", got)
	}
	fake(t, envtest(9), apiServer, version(9)) // a directory that sorts after 3x as a text
	older, newer := fake(t, envtest(pinned[1]-1), apiServer, version(pinned[1]-1)), envtest(pinned[1])
	if got := find(); got != older {
		t.Errorf("found %q, want that of setup-envtest, %s", got, older)
	}
	best := fake(t, newer, apiServer, version(pinned[1]))
	if got := find(); got != best {
		t.Errorf("found %q, want the newest of setup-envtest, %s", got, best)
	}
	fake(t, assets, apiServer, version(pinned[1]+1))
	if got := find(); got != best {
		t.Errorf("found %q: a version that is newer than the tested one was taken", got)
	}
	first := fake(t, assets, apiServer, version(pinned[1]))
	if got := find(); got != first {
		t.Errorf("found %q, want that of KUBEBUILDER_ASSETS", got)
	}
}

// Only a caller who asks for it gets other programs than the pinned ones, and nothing is built then.
func TestInstalledProgramsAreTakenOnDemand(t *testing.T) {
	assets := t.TempDir()
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	t.Setenv("HOME", t.TempDir())
	_, _, pinned := pinnedOf(t, etcd)
	want := fake(t, assets, etcd, "etcd Version: "+strconv.Itoa(pinned[0])+"."+strconv.Itoa(pinned[1])+".0")
	var progress strings.Builder
	opts := Options{CacheDir: t.TempDir(), Progress: &progress, Installed: true}
	bins, err := build(t.Context(), opts.withDefaults(), etcd)
	if err != nil {
		t.Fatal(err)
	}
	if bins.Etcd != want || !strings.Contains(progress.String(), "found etcd ") || strings.Contains(progress.String(), "building") {
		t.Errorf("etcd is %s, and it said %q", bins.Etcd, progress.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is not taken would be built, which takes minutes
	opts.Installed, opts.CacheDir = false, t.TempDir()
	if bins, err := build(ctx, opts.withDefaults(), etcd); err == nil {
		t.Errorf("etcd is %s without being asked for", bins.Etcd)
	}
}

func TestDistributionsEtcdIsTooOld(t *testing.T) {
	path := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBEBUILDER_ASSETS", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("PATH", path+":/bin:/usr/bin")
	p, source, _ := pinnedOf(t, etcd)
	for version, taken := range map[string]bool{"3.4.23": false, "3.6.5": true} {
		fake(t, path, etcd, "etcd Version: "+version)
		if found, _ := installed(t.Context(), p, source); (found != "") != taken {
			t.Errorf("etcd %s: found %q", version, found)
		}
	}
}
