package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Binaries are the absolute paths of the built programs. [Start] builds only
// what it runs, so a path may name a program that is not there yet.
type Binaries struct {
	Etcd              string
	APIServer         string
	ControllerManager string
	Kubectl           string
	Scheduler         string
	Kubelet           string
	KubeProxy         string
}

// Build makes the programs of a control plane present in the cache and returns
// their paths. What is there already is not built again. Several callers, in
// one process or in many, can build at the same time: one builds and the
// others wait.
//
// On two cores a first build takes about five minutes and two gigabytes of
// module and build cache.
func Build(ctx context.Context, opts Options) (Binaries, error) {
	return build(ctx, opts.withDefaults(), etcd, apiServer, controllerManager, kubectl)
}

// BuildNode is Build with what a cluster whose nodes run pods needs besides:
// kube-scheduler, kubelet and kube-proxy.
func BuildNode(ctx context.Context, opts Options) (Binaries, error) {
	return build(ctx, opts.withDefaults(), etcd, apiServer, controllerManager, kubectl, scheduler, kubelet, kubeProxy)
}

// BuildDemo makes present what a cluster without controllers needs, and kubectl. Before it builds,
// it looks for programs of this machine whose versions fit, see [Options.Installed].
func BuildDemo(ctx context.Context, opts Options) (Binaries, error) {
	opts.Installed = true
	return build(ctx, opts.withDefaults(), etcd, apiServer, kubectl)
}

// build makes the named programs present. opts has its defaults.
func build(ctx context.Context, opts Options, names ...string) (Binaries, error) {
	source, err := sourceDir()
	if err != nil {
		return Binaries{}, err
	}
	if opts, err = opts.kubernetes(); err != nil {
		return Binaries{}, err
	}
	chosen, err := choose(opts, source, names)
	if err != nil {
		return Binaries{}, err
	}
	dir, err := binariesDir(opts, source)
	if err != nil {
		return Binaries{}, err
	}
	missing := missingPrograms(dir, chosen)
	var taken map[string]string
	if opts.Installed {
		taken = takeInstalled(ctx, opts, source, missing)
		missing = without(missing, taken)
	}
	bins := paths(dir, taken, chosen)
	if len(missing) == 0 {
		return bins, nil
	}
	unlock, err := lockFile(ctx, filepath.Join(dir, "lock"), opts.Progress)
	if err != nil {
		return Binaries{}, err
	}
	defer unlock()

	// Another caller may have built them while this one waited for the lock.
	missing = without(missingPrograms(dir, chosen), taken)
	for i, p := range missing {
		fmt.Fprintf(opts.Progress, "building %s, %d of %d; this happens once\n", p.name, i+1, len(missing))
		if err := buildProgram(ctx, opts, source, dir, p); err != nil {
			return Binaries{}, err
		}
	}
	return bins, nil
}

// paths are those of the programs in dir, or where they were found. The API server may be one of a name
// of its own.
func paths(dir string, taken map[string]string, chosen []program) Binaries {
	server := apiServer
	for _, p := range chosen {
		if p.pkg == apiServerPackage {
			server = p.name
		}
	}
	at := func(name string) string {
		if name == apiServer {
			name = server
		}
		if path, found := taken[name]; found {
			return path
		}
		return filepath.Join(dir, name)
	}
	return Binaries{
		Etcd:              at(etcd),
		APIServer:         at(apiServer),
		ControllerManager: at(controllerManager),
		Kubectl:           at(kubectl),
		Scheduler:         at(scheduler),
		Kubelet:           at(kubelet),
		KubeProxy:         at(kubeProxy),
	}
}

// without returns the programs that were not found elsewhere.
func without(programs []program, taken map[string]string) []program {
	return slices.DeleteFunc(programs, func(p program) bool { return taken[p.name] != "" })
}

// binariesDir returns the cache directory for what source pins, and makes it.
func binariesDir(opts Options, source string) (string, error) {
	base := opts.CacheDir
	if base == "" {
		base = os.Getenv("MCCM_CACHE")
	}
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find a cache directory (set MCCM_CACHE to choose one): %w", err)
		}
		base = filepath.Join(cache, "multicloud-ccm")
	}
	key, err := cacheKey(source)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Join(base, "controlplane-"+key))
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	return dir, nil
}

// missingPrograms returns those of the programs that dir lacks.
func missingPrograms(dir string, chosen []program) []program {
	var missing []program
	for _, p := range chosen {
		if _, err := os.Stat(filepath.Join(dir, p.name)); err != nil {
			missing = append(missing, p)
		}
	}
	return missing
}

// buildProgram compiles p into dir. The program appears under its name only
// when it is complete.
func buildProgram(ctx context.Context, opts Options, source, dir string, p program) error {
	version, err := p.version(source)
	if err != nil {
		return err
	}
	partial := filepath.Join(dir, p.name+".partial")
	started := time.Now()
	stop := reportProgress(opts.Progress, p.name+" "+version)
	err = goBuild(ctx, filepath.Join(source, p.module), partial, p.pkg, ldflags(version))
	stop()
	if err != nil {
		return errors.Join(fmt.Errorf("build %s %s: %w", p.name, version, err), removeIfPresent(partial))
	}
	if err := os.Rename(partial, filepath.Join(dir, p.name)); err != nil {
		return fmt.Errorf("build %s %s: %w", p.name, version, err)
	}
	fmt.Fprintf(opts.Progress, "built %s %s in %.0f s\n", p.name, version, time.Since(started).Seconds())
	return nil
}

func removeIfPresent(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
