package app

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// shared are those of the controller manager's own flags that decide what it would do.
var shared = []string{
	"adoption", "cloud-api-qps", "cluster-id", "firewall-denied-ports", "former-cluster-ids", "node-deletion", "node-deletion-fraction",
	"node-deletion-grace", "node-deletion-mass-wait", "node-deletion-max", "node-deletion-window", "node-networks",
}

// perspective are the flags of sub-commands that say what the controller manager would do: they
// decide as it does, so they have its flags.
type perspective struct {
	view
	own                      *flags
	clusterName, clusterCIDR string
	namespace                string
	configureRoutes          bool
	controllers              []string
	// everyService has Services read where the controllers that run need none.
	everyService bool
	// goesOn says that refused credentials do not end it: something is known without the cloud.
	goesOn bool
	// refused is what the cloud said where goesOn let the run go on.
	refused error
}

func (p *perspective) flags(fs *pflag.FlagSet) {
	p.view.flags(fs)
	fs.StringVar(&p.clusterName, "cluster-name", "kubernetes", "The cluster's name, as the controller manager has it.")
	fs.StringVar(&p.clusterCIDR, "cluster-cidr", "", "The pod networks, as the controller manager has them: without them no routes are looked at.")
	fs.BoolVar(&p.configureRoutes, "configure-cloud-routes", true, "Whether the controller manager makes routes.")
	fs.StringSliceVar(&p.controllers, "controllers", []string{"*"}, "The controllers that run, as the controller manager has them: what those would do is said, and nothing else.")
	p.own = newFlags()
	for _, set := range p.own.sets().FlagSets {
		for _, name := range shared {
			if flag := set.Lookup(name); flag != nil {
				fs.AddFlag(flag)
			}
		}
	}
}

func (p *perspective) namespaceFlag(fs *pflag.FlagSet) {
	fs.StringVarP(&p.namespace, "namespace", "n", corev1.NamespaceDefault, "Namespace of a Service that is named without one.")
}

// enabled says of each controller whether it runs.
func (p *perspective) enabled() (map[string]bool, error) {
	enabled, err := controller.Enabled(p.controllers)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return enabled, nil
}

// sight is what was read of a cluster and how its cloud is reached.
type sight struct {
	inspect.Options
	// namespace is that of a Service which is named without one.
	namespace string
}

// look reads the cluster and opens the cloud. What takes long is told on out.
func (p *perspective) look(ctx context.Context, fs *pflag.FlagSet, out io.Writer) (*sight, error) {
	if p.inPod() {
		if err := running(fs, os.Args[0], os.ReadFile); err != nil {
			return nil, err
		}
	}
	if err := p.own.problems(); err != nil {
		return nil, err
	}
	enabled, err := p.enabled()
	if err != nil {
		return nil, err
	}
	cidrs, err := parseCIDRs(p.clusterCIDR)
	if err != nil {
		return nil, usagef("%v", err)
	}
	if !p.configureRoutes {
		cidrs = nil
	}
	if err := p.learnInventory(ctx); err != nil {
		return nil, err
	}
	chosen, err := p.configured(p.clusterName)
	if err != nil {
		return nil, err
	}
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	c, err := p.reach(ctx, chosen, out)
	if err != nil {
		return nil, err
	}
	answered := waiting(out, "the API server")
	cluster, err := inspect.Read(ctx, client, p.everyService || inspect.NeedsServices(c, enabled), types.NamespacedName{Namespace: p.leaseNamespace, Name: p.leaseName})
	answered()
	if err != nil {
		return nil, err
	}
	p.own.tuning.KeepNodes = !p.own.nodeDeletion
	return &sight{namespace: p.namespace, Options: inspect.Options{
		Cloud: c, ClusterID: cmp.Or(p.own.clusterID, p.clusterName), FormerClusterIDs: p.own.formerIDs, Cluster: cluster,
		Tuning: p.own.tuning, Adoption: p.own.adoption, ClusterCIDRs: cidrs, Enabled: enabled,
	}}, nil
}

// reach opens the cloud, and returns an error where it does not answer, or refuses the credentials and goesOn is not set.
func (p *perspective) reach(ctx context.Context, chosen choice, out io.Writer) (*run.Cloud, error) {
	source := p.source()
	answered := waiting(out, "the API of "+source.Provider.Title)
	defer answered()
	warn := func(message string) { klog.InfoS("Look at the configuration", "warning", message) }
	c, err := p.cloud(ctx, chosen, p.own.tuning.QPS, warn)
	if err == nil {
		err = reached(ctx, c)
		if p.goesOn && cloud.IsClass(err, cloud.FailureUnauthorized) {
			p.refused = unreached(source, err)
			return c, nil
		}
	}
	if err != nil {
		return nil, unreached(source, err)
	}
	return c, nil
}

func (s *sight) inspector() *inspect.Inspector { return inspect.New(s.Options) }

// balancers returns an error where nothing is ever done about a Service.
func (s *sight) balancers() error {
	if s.Cloud.Balancers == nil {
		return absentf("cloud %s has no load balancers: nothing is done about Services", s.Cloud.Name)
	}
	return nil
}

// service returns the Service that is named as namespace/name.
func (s *sight) service(named string) (*corev1.Service, error) {
	if err := s.balancers(); err != nil {
		return nil, err
	}
	namespace, name, ok := strings.Cut(named, "/")
	if !ok {
		namespace, name = s.namespace, named
	}
	if namespace == "" || name == "" || strings.Contains(name, "/") {
		return nil, usagef("service %q: want NAMESPACE/NAME, or NAME in namespace %s", named, s.namespace)
	}
	svc := s.Cluster.Service(namespace, name)
	if svc == nil {
		return nil, absentf("service %s/%s does not exist%s", namespace, name, didYouMean(s.meant(namespace, name)))
	}
	return svc, nil
}

// nodes are the names of all Nodes.
func (s *sight) nodes() []string {
	var names []string
	for _, node := range s.Cluster.Nodes {
		names = append(names, node.Name)
	}
	return names
}

// meant are the Services that somebody may have meant: those of that name in other namespaces, else those of the namespace with a
// name that is nearly the same.
func (s *sight) meant(namespace, name string) []string {
	if found := s.namesakes(name); len(found) > 0 {
		return found
	}
	var names []string
	for _, svc := range s.Cluster.Services {
		if svc.Namespace == namespace {
			names = append(names, svc.Name)
		}
	}
	found := near(name, names)
	for n := range found {
		found[n] = namespace + "/" + found[n]
	}
	return found
}

// namesakes are the Services of that name in other namespaces, nil where there are too many.
func (s *sight) namesakes(name string) []string {
	var found []string
	for _, svc := range s.Cluster.Services {
		if svc.Name == name {
			found = append(found, svc.Namespace+"/"+svc.Name)
		}
	}
	if len(found) > mostMeant {
		return nil
	}
	slices.Sort(found)
	return found
}
