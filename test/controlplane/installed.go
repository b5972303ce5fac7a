package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How many minor versions a program of this machine may be older than the one that would be built.
// A newer one is not taken: nobody has tried it. etcd 3.4, which distributions still have, is too
// old for the API server.
const (
	olderMinors     = 3
	olderEtcdMinors = 2
)

var numbers = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// installed returns the path and the version of a program that this machine has, of a version that
// fits: in KUBEBUILDER_ASSETS, in the cache of setup-envtest, or in PATH. Empty when there is none.
func installed(ctx context.Context, p program, source string) (path, version string) {
	pinned, err := p.version(source)
	if err != nil {
		return "", ""
	}
	older := olderMinors
	if p.name == etcd {
		older = olderEtcdMinors
	}
	for _, candidate := range candidates(p.name) {
		if version := versionOf(ctx, candidate); fits(version, strings.TrimPrefix(pinned, "v"), older) {
			return candidate, version
		}
	}
	return "", ""
}

// candidates are the places where a program may be, the best first.
func candidates(name string) []string {
	var found []string
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		found = append(found, filepath.Join(dir, name))
	}
	for _, base := range envtestDirs() {
		versions, _ := filepath.Glob(filepath.Join(base, "k8s", "*-"+runtime.GOOS+"-"+runtime.GOARCH, name)) // the pattern is well formed
		slices.SortFunc(versions, func(a, b string) int { return newerFirst(filepath.Dir(a), filepath.Dir(b)) })
		found = append(found, versions...)
	}
	if path, err := exec.LookPath(name); err == nil {
		found = append(found, path)
	}
	return slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.IsDir()
	})
}

// envtestDirs are where setup-envtest keeps what it has downloaded.
func envtestDirs() []string {
	var dirs []string
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		dirs = append(dirs, filepath.Join(dir, "kubebuilder-envtest"))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return dirs
	}
	return append(dirs, filepath.Join(home, ".local", "share", "kubebuilder-envtest"),
		filepath.Join(home, "Library", "Application Support", "io.kubebuilder.envtest"))
}

// newerFirst orders paths that begin their last part with a version.
func newerFirst(a, b string) int {
	a, b = numbers.FindString(filepath.Base(a)), numbers.FindString(filepath.Base(b))
	if order := slices.Compare(parts(b), parts(a)); order != 0 {
		return order
	}
	return strings.Compare(b, a)
}

// versionOf asks a program for its version.
func versionOf(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	args := []string{"--version"}
	if filepath.Base(path) == kubectl {
		args = []string{"version", "--client"}
	}
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return ""
	}
	return numbers.FindString(string(out))
}

// fits says whether a version can stand for the pinned one: the same major version, and a minor one
// that is not newer and at most so many older.
func fits(version, pinned string, older int) bool {
	have, want := parts(version), parts(pinned)
	return len(have) > 1 && len(want) > 1 && have[0] == want[0] && have[1] <= want[1] && have[1] >= want[1]-older
}

// parts are the numbers of a version.
func parts(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		digits, _, _ := strings.Cut(part, "-")
		number, err := strconv.Atoi(digits)
		if err != nil {
			return all
		}
		all = append(all, number)
	}
	return all
}

// takeInstalled returns the paths of those programs that this machine has, and says so.
func takeInstalled(ctx context.Context, opts Options, source string, missing []program) map[string]string {
	taken := map[string]string{}
	for _, p := range missing {
		if path, version := installed(ctx, p, source); path != "" {
			fmt.Fprintf(opts.Progress, "found %s %s: %s\n", p.name, version, path)
			taken[p.name] = path
		}
	}
	return taken
}
