package controlplane

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// etcdOnly builds the smallest program into an empty cache; the compiled
// packages are in Go's own cache by then.
func etcdOnly(ctx context.Context, opts Options) (Binaries, error) {
	return build(ctx, opts.withDefaults(), etcd)
}

func TestConcurrentBuildsBuildOnce(t *testing.T) {
	ctx, cache := testContext(t), t.TempDir()
	var progress syncBuffer
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			bins, err := etcdOnly(ctx, Options{CacheDir: cache, Progress: &progress})
			if err != nil {
				t.Error(err)
				return
			}
			if out, err := exec.CommandContext(ctx, bins.Etcd, "--version").CombinedOutput(); err != nil {
				t.Errorf("run etcd: %v\n%s", err, out)
			}
		})
	}
	group.Wait()
	if got := strings.Count(progress.String(), "built etcd v3."); got != 1 {
		t.Errorf("built %d times, want once:\n%s", got, progress.String())
	}
}

func TestCacheDirectoryComesFromTheEnvironment(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("MCCM_CACHE", cache)
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := binariesDir(Options{}, source)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(dir) != cache || !strings.HasPrefix(filepath.Base(dir), "controlplane-") {
		t.Errorf("programs go to %s, want a directory in %s", dir, cache)
	}
}

func TestBuildSaysThatGoIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := etcdOnly(testContext(t), Options{CacheDir: t.TempDir()})
	wantOneLine(t, err, "the go command is not in PATH")
}

func TestBuildSaysThatTheProxyIsMissing(t *testing.T) {
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "http://127.0.0.1:1")
	_, err := etcdOnly(testContext(t), Options{CacheDir: t.TempDir()})
	wantOneLine(t, err, "is the proxy of `go env GOPROXY` reachable?")
}

func wantOneLine(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v, want one line with %q", err, want)
	}
}

func TestLockEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockFile(t.Context(), path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockFile(ctx, path, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second lock: %v, want the deadline", err)
	}
}

// syncBuffer is a buffer for concurrent writers.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
