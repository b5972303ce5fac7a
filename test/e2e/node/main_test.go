// Package node_test tests what happens to Nodes through the real thing: Nodes as kubelets
// register them on a real kube-apiserver, the real binary with its own ServiceAccount, and
// a test cloud whose machines and answers the tests change: the one that E2E_CLOUD names. A test
// that needs what the cloud cannot do is skipped, and says so.
//
// A test breaks what all Nodes of a cluster share (the cloud, the credentials, the process),
// so each has a cluster of its own while it runs. Clusters are started when needed, used
// again, and a few tests run at once, because they wait most of the time.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package node_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	// startLimit bounds the start of a cluster, which may have to build its programs.
	startLimit = 30 * time.Minute
	// account is who the binary is to the API server.
	account = "system:serviceaccount:" + lab.Namespace + ":" + lab.ServiceAccount
)

// cloudName is the test cloud.
var cloudName = cmp.Or(os.Getenv("E2E_CLOUD"), "digitalocean")

func TestMain(m *testing.M) {
	flag.Parse()
	facts, err := testcloud.FactsOf(cloudName)
	if err != nil {
		fmt.Fprintln(os.Stderr, "E2E_CLOUD:", err)
		os.Exit(1)
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(facts.AtOnce)) // a flag of every test binary
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	defer clusters.stop()
	code := m.Run()
	if err := clusters.denied(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	return code
}

// clusters are all that were started.
var clusters pool

type pool struct {
	build  sync.Once
	dir    string
	binary string
	err    error

	mu   sync.Mutex
	all  []*lab.Lab
	free []*lab.Lab
}

// take returns a cluster that nobody uses, a new one if there is none.
func (p *pool) take() (*lab.Lab, error) {
	p.build.Do(p.makeBinary)
	if p.err != nil {
		return nil, p.err
	}
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		l := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return l, nil
	}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cloud, err := testcloud.Open(ctx, cloudName, testcloud.Options{Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	l, err := lab.Start(ctx, lab.Options{
		Binary: p.binary, Cloud: cloud,
		ControlPlane: controlplane.Options{
			Progress: os.Stderr, Controllers: controlplane.NoControllers,
			Audit: &controlplane.Audit{Bodies: []string{"nodes"}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("starting a cluster: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, l)
	return l, nil
}

func (p *pool) put(l *lab.Lab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, l)
}

func (p *pool) makeBinary() {
	if p.binary = os.Getenv("CCM_BINARY"); p.binary != "" {
		return
	}
	if p.dir, p.err = os.MkdirTemp("", "e2e-node-"); p.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	p.binary, p.err = ccm.Build(ctx, ccm.BuildOptions{Dir: p.dir, Race: true})
}

func (p *pool) stop() {
	for _, l := range p.all {
		l.Stop()
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}

// denied returns an error when the binary asked an API server for something it may not do:
// its permissions are those that are shipped.
func (p *pool) denied() error {
	var problems []error
	for _, l := range p.all {
		events, err := l.AuditEvents(controlplane.AuditFilter{User: account})
		problems = append(problems, err)
		var refused []string
		for _, e := range events {
			if e.Response.Code == http.StatusForbidden {
				refused = append(refused, e.Verb+" "+e.RequestURI)
			}
		}
		if len(refused) > 0 {
			problems = append(problems, fmt.Errorf("the ccm lacks permissions for %d requests: %s", len(refused), strings.Join(refused, ", ")))
		}
	}
	return errors.Join(problems...)
}
