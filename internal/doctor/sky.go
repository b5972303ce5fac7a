package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// trouble is what kind of failure keeps the cloud from answering. Each has a check of its own.
type trouble string

const (
	unresolved trouble = "cloud-name-unresolved"
	untrusted  trouble = "cloud-tls"
	skewed     trouble = "clock-skew"
	silent     trouble = "cloud-unreachable"
	throttled  trouble = "cloud-throttled"
	refused    trouble = "credentials-refused"
	failing    trouble = "cloud-failing"
)

// sky is what the cloud answered.
type sky struct {
	err  error
	kind trouble // "" when the cloud answered
	// account is what the credentials see. accountErr is set when they may not ask for it.
	account    cloud.Identity
	accountErr error
	// machines are nil unless the list is complete: others prove nothing absent.
	machines   map[cloud.InstanceID]cloud.Instance
	incomplete bool
	// partly is why the list is incomplete, where that is known.
	partly error
	// of are the machines of Nodes, by the Node's name; absent are Nodes whose machine the cloud
	// definitely does not have, unread those that the list lacks and that were not asked for one by
	// one, several those whose name many have.
	of      map[string]cloud.Instance
	absent  map[string]bool
	unread  map[string]bool
	several map[string][]cloud.InstanceID
	// nodeIPs are the Nodes whose kubelets have a --node-ip that is not their machine's.
	nodeIPs map[string]*framework.NodeIPError
	// routesErr is why the cluster's routes cannot be listed, where it has some.
	routesErr error
	// byIDs and byNames are how many single machines were asked for.
	byIDs, byNames int
}

// fail keeps why nothing is known of the cloud, unless that is known.
func (s *sky) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// firstAnswer is how long the cloud may take for its first answer: somebody waits for the report.
const firstAnswer = 20 * time.Second

// ask reads who we are, which machines there are, and whether routes can be read.
func (s *sky) ask(ctx context.Context, o Options) {
	if o.Cloud == nil {
		s.unstarted(o.CloudErr)
		return
	}
	first, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	identity, err := o.Cloud.Account.Identity(first)
	switch {
	case cloud.IsClass(err, cloud.FailureUnauthorized):
		s.accountErr = err // they may be good for everything but that
	case err != nil:
		s.err, s.kind = err, kindOf(err)
		return
	default:
		s.account = identity
	}
	list, err := o.Cloud.Instances.List(ctx)
	switch {
	case err != nil:
		s.err, s.kind = err, kindOf(err)
	case !list.Complete:
		s.incomplete, s.partly = true, list.Err
	default:
		s.machines = map[cloud.InstanceID]cloud.Instance{}
		for _, machine := range list.Items {
			s.machines[machine.ID] = machine
		}
	}
	if o.Cloud.Routes != nil && len(o.Manager.ClusterCIDRs) > 0 {
		_, s.routesErr = o.Cloud.Routes.ListRoutes(ctx, cloud.Owner{Cluster: o.Manager.ClusterID, Cloud: o.Cloud.Name})
	}
}

// unstarted notes why nothing is known of the cloud where the provider does not start. That the cloud refuses what it asks at
// the start says nothing about the settings.
func (s *sky) unstarted(err error) {
	switch kind := kindOf(err); kind {
	case refused, throttled:
		s.err, s.kind = err, kind
	default:
		s.err = notStarted(s)
	}
}

// notStarted says that something depends on a provider that was not started, and which check says why.
func notStarted(s *sky) error {
	return fmt.Errorf("the provider was not started, see %s", cmp.Or(string(s.kind), idSettings))
}

// kindOf sorts an error of the cloud. The first that fits decides, from the wire to the answer.
func kindOf(err error) trouble {
	invalid, dated := errors.AsType[x509.CertificateInvalidError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, name := errors.AsType[*net.DNSError](err)
	switch class := cloud.FailureOf(err).Class; {
	case dated && invalid.Reason == x509.Expired:
		return skewed
	case authority || host || verification || record || errors.Is(err, http.ErrSchemeMismatch):
		return untrusted
	case name:
		return unresolved
	case class == cloud.FailureThrottled:
		return throttled
	case cloud.NoAnswer(err):
		return silent
	case class == cloud.FailureUnauthorized && !cloud.NoSense(err):
		return refused
	}
	return failing
}

// mostReads bounds the single machines of either kind that are asked for: what a list lacks is not
// absent before the cloud was asked for it, and a name may be another one in the cloud.
const mostReads = 3

// match finds the machines of the Nodes: in the list, and a few by asking the cloud.
func (s *sky) match(ctx context.Context, o Options, nodes []*corev1.Node) {
	s.of, s.absent, s.unread, s.several = map[string]cloud.Instance{}, map[string]bool{}, map[string]bool{}, map[string][]cloud.InstanceID{}
	s.nodeIPs = map[string]*framework.NodeIPError{}
	if s.err != nil || s.machines == nil {
		return
	}
	byName := map[string][]cloud.Instance{}
	for _, machine := range s.machines {
		byName[machine.Name] = append(byName[machine.Name], machine)
	}
	ips := framework.NodeIPs{Networks: o.Manager.Tuning.NodeNetworks, Nodes: func() []*corev1.Node { return nodes }, Machines: s.at}
	for _, node := range nodes {
		machine, described := instance.FromNode(o.Cloud, node)
		switch owner := instance.Owner(node, o.Cloud.Concerns); {
		case described:
			s.of[node.Name] = machine
		case owner == instance.Foreign || owner == instance.OptedOut:
		case node.Spec.ProviderID != "":
			s.byID(ctx, o, node)
		case len(byName[node.Name]) == 1:
			s.of[node.Name] = byName[node.Name][0]
		default:
			s.byName(ctx, o, node)
		}
		machine, known := s.of[node.Name]
		if !known {
			continue
		}
		if !described {
			s.of[node.Name] = instance.Complete(o.Cloud, machine, node)
		}
		_, err := ips.Complete(ctx, node, s.of[node.Name])
		if wrong, is := errors.AsType[*framework.NodeIPError](err); is {
			s.nodeIPs[node.Name] = wrong
		}
	}
}

// at returns the machines of the list that have these addresses, "" for nobody.
func (s *sky) at(_ context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) {
	machines := make(map[netip.Addr]cloud.InstanceID, len(addresses))
	for _, address := range addresses {
		machines[address] = ""
	}
	for id, machine := range s.machines {
		for _, a := range machine.Addresses {
			address, err := netip.ParseAddr(a.Address)
			if _, wanted := machines[address]; wanted && err == nil {
				machines[address] = id
			}
		}
	}
	return machines, nil
}

func (s *sky) byID(ctx context.Context, o Options, node *corev1.Node) {
	id, err := instance.ID(o.Cloud, node)
	if err != nil {
		return
	}
	machine, listed := s.machines[id]
	if listed {
		s.of[node.Name] = machine
		return
	}
	if s.byIDs++; s.byIDs > mostReads {
		s.unread[node.Name] = true
		return
	}
	found, err := o.Cloud.Instances.Get(ctx, id)
	if machine, there := found[id]; there {
		s.of[node.Name] = machine
	} else if err == nil { // with any doubt a machine counts as there
		s.absent[node.Name] = true
	}
}

func (s *sky) byName(ctx context.Context, o Options, node *corev1.Node) {
	if s.byNames++; s.byNames > mostReads {
		s.unread[node.Name] = true
		return
	}
	found, err := o.Cloud.Instances.FindByName(ctx, node.Name)
	switch {
	case err != nil:
	case len(found) == 1:
		s.of[node.Name] = found[0]
	case len(found) == 0:
		s.absent[node.Name] = true
	default:
		for _, machine := range found {
			s.several[node.Name] = append(s.several[node.Name], machine.ID)
		}
	}
}

// lacks says that the cloud does not seem to have the machine of a Node, "" when it may.
func (s *sky) lacks(node *corev1.Node) string {
	machine := "machine " + node.Spec.ProviderID
	if node.Spec.ProviderID == "" {
		machine = "machine of this name"
	}
	switch {
	case s.absent[node.Name]:
		return "the cloud has no " + machine
	case s.unread[node.Name]:
		return "the cloud's list has no " + machine
	}
	return ""
}

// judgeCloud returns the check of one kind of trouble.
func judgeCloud(kind trouble, well string) func(*facts) Outcome {
	return func(f *facts) Outcome {
		switch {
		case f.sky.err == nil:
			return fine("%s", well)
		case f.sky.kind == kind:
			var evidence []string
			if f.sky.accountErr != nil {
				evidence = append(evidence, "asked for the account: "+f.sky.accountErr.Error())
			}
			return failure(f.sky.says(f.Options), cloud.Advice(f.sky.err), append(evidence, f.source(f.sky.err)...)...)
		case f.sky.kind == "":
			return cannot(f.sky.err)
		default:
			return cannot(fmt.Errorf("the cloud did not answer, see %s", f.sky.kind))
		}
	}
}

// source is which setting an error of the cloud is about, as evidence.
func (o Options) source(err error) []string {
	if o.Source == nil {
		return nil
	}
	if text := o.Source(err); text != "" {
		return []string{text}
	}
	return nil
}

// says is what the cloud, or the provider that does not start, failed with.
func (s *sky) says(o Options) string {
	if o.Cloud == nil {
		return s.err.Error()
	}
	return fmt.Sprintf("%s: %v", o.Cloud.Name, s.err)
}

// unknown returns why nothing is known of machines, nil when the list is.
func (s *sky) unknown() error {
	switch {
	case s.err != nil && s.kind != "":
		return fmt.Errorf("the cloud did not answer, see %s", s.kind)
	case s.err != nil:
		return s.err
	case s.machines == nil:
		return errors.New("the cloud's list of machines is incomplete, see cloud-failing")
	}
	return nil
}

func judgeFailing(f *facts) Outcome {
	if err := f.sky.partly; err != nil {
		return warning("the cloud's list of machines is incomplete: "+err.Error(), cloud.Advice(err))
	}
	if f.sky.incomplete {
		return warning("the cloud's list of machines is incomplete", "try again later")
	}
	return judgeCloud(failing, "the cloud answers what it is asked")(f)
}
