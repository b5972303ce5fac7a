package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const (
	// piece is how long one profile of the processor takes. The text adds them up.
	piece = 3 * time.Second
	// look is how often the memory is looked at.
	look = 200 * time.Millisecond
	// reader is the account that reads profiles.
	reader = "profiler"
	// longest is how many functions the texts have.
	longest = "40"
)

// profiler reads profiles of a process while it works: where its processor time goes, and its heap when its memory has
// grown to more than ever before. It keeps its metrics too.
type profiler struct {
	process *ccm.Process
	token   string
	// path is what the names of its files begin with.
	path   string
	pieces []string
}

// profile reads profiles of a process until end is called, and writes them as text. It does nothing unless it was asked for.
func (r *run) profile(ctx context.Context, process *ccm.Process, phase string) (end func() error) {
	if r.options.Profiles == "" {
		return func() error { return nil }
	}
	dir := filepath.Join(r.options.Profiles, fmt.Sprintf("%s-%d", r.options.Cloud, r.options.Nodes))
	stopping, stop := context.WithCancel(ctx)
	p := &profiler{process: process, token: r.token, path: filepath.Join(dir, phase)}
	var group errgroup.Group
	ready := make(chan struct{})
	group.Go(func() error {
		defer close(ready)
		if err := errors.Join(os.MkdirAll(dir, 0o755), process.Healthy(ctx)); err != nil {
			return err
		}
		return p.metrics(ctx, ".metrics-begin.txt")
	})
	group.Go(func() error { <-ready; return p.processor(ctx, stopping) })
	group.Go(func() error { <-ready; return p.heap(ctx, stopping) })
	return func() error {
		stop()
		err := group.Wait()
		if err == nil {
			err = errors.Join(p.metrics(ctx, ".metrics-end.txt"), p.save(ctx, "allocs", ".allocs.pb.gz"), p.texts(ctx))
		}
		if err != nil {
			return fmt.Errorf("profiling %s: %w", phase, err)
		}
		return nil
	}
}

// processor reads one piece after the other.
func (p *profiler) processor(ctx, stopping context.Context) error {
	for stopping.Err() == nil {
		ending := fmt.Sprintf(".cpu-%d.pb.gz", len(p.pieces))
		if err := p.save(ctx, fmt.Sprintf("profile?seconds=%d", int(piece.Seconds())), ending); err != nil {
			return err
		}
		p.pieces = append(p.pieces, p.path+ending)
	}
	return nil
}

// heap keeps the last profile of those that were read whenever there was a new peak.
func (p *profiler) heap(ctx, stopping context.Context) error {
	var peak int64
	for stopping.Err() == nil {
		memory, err := p.process.Memory()
		if err != nil {
			return err
		}
		if memory.Peak > peak+peak/100 {
			peak = memory.Peak
			if err := errors.Join(p.save(ctx, "heap", ".heap.pb.gz"), p.save(ctx, "heap?debug=1", ".runtime.txt")); err != nil {
				return err
			}
		}
		_ = pause(stopping, look) // its end is that of the loop
	}
	return nil
}

// save writes a profile into a file.
func (p *profiler) save(ctx context.Context, name, ending string) error {
	return p.write(ctx, "/debug/pprof/"+name, ending)
}

// metrics writes what Prometheus would scrape.
func (p *profiler) metrics(ctx context.Context, ending string) error {
	return p.write(ctx, "/metrics", ending)
}

// write writes what the process answers into a file.
func (p *profiler) write(ctx context.Context, path, ending string) error {
	answer, err := p.process.Get(ctx, path, p.token)
	if err != nil {
		return err
	}
	return os.WriteFile(p.path+ending, []byte(answer), 0o644)
}

// texts writes which functions are on top of each profile.
func (p *profiler) texts(ctx context.Context) error {
	return errors.Join(
		p.text(ctx, "cpu", ".cpu.txt", p.pieces...),
		p.text(ctx, "inuse_space", ".heap.txt", p.path+".heap.pb.gz"),
		p.text(ctx, "alloc_space", ".allocs.txt", p.path+".allocs.pb.gz"),
	)
}

func (p *profiler) text(ctx context.Context, index, ending string, profiles ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof", "-top", "-nodecount=" + longest, "-sample_index=" + index}, profiles...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("reading profiles: %w: %s", err, complaint.String())
	}
	return os.WriteFile(p.path+ending, text, 0o644)
}

// profilerToken makes an account that may read profiles, and returns a token of it.
func profilerToken(ctx context.Context, client kubernetes.Interface) (string, error) {
	accounts := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: reader}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: reader},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/debug/pprof/*", "/metrics"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: reader},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: reader},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: reader}},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	var token string
	err = controlplane.Eventually(ctx, func(ctx context.Context) error {
		answer, err := accounts.CreateToken(ctx, reader, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err == nil {
			token = answer.Status.Token
		}
		return err
	})
	return token, err
}
