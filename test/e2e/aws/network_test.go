package aws_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// lines are those of the inventory that begin with a prefix.
func (s *site) lines(prefix string) []string {
	s.Helper()
	return slices.DeleteFunc(s.inventory(), func(line string) bool { return !strings.HasPrefix(line, prefix) })
}

// balancer is the only network balancer there is.
func (s *site) balancer() networktypes.LoadBalancer {
	s.Helper()
	all, err := s.world.Network.DescribeLoadBalancers(s.Context(), &networkapi.DescribeLoadBalancersInput{})
	s.must(err, "listing network balancers")
	if len(all.LoadBalancers) != 1 {
		s.Fatalf("%d network balancers, want 1", len(all.LoadBalancers))
	}
	return all.LoadBalancers[0]
}

// listener is the listener of the only network balancer at a port.
func (s *site) listener(port int32) networktypes.Listener {
	s.Helper()
	all, err := s.world.Network.DescribeListeners(s.Context(), &networkapi.DescribeListenersInput{LoadBalancerArn: s.balancer().LoadBalancerArn})
	s.must(err, "listing listeners")
	for _, l := range all.Listeners {
		if awssdk.ToInt32(l.Port) == port {
			return l
		}
	}
	s.Fatalf("no listener at port %d", port)
	return networktypes.Listener{}
}

// targetGroup is what the listener at a port leads to.
func (s *site) targetGroup(port int32) networktypes.TargetGroup {
	s.Helper()
	arn := awssdk.ToString(s.listener(port).DefaultActions[0].TargetGroupArn)
	all, err := s.world.Network.DescribeTargetGroups(s.Context(), &networkapi.DescribeTargetGroupsInput{TargetGroupArns: []string{arn}})
	s.must(err, "reading the target group")
	return all.TargetGroups[0]
}

// TestTLSInPlace gives a live port a certificate and takes it away: the listener stays, so that
// nothing is refused in between. Upstream creates a second one at the port, for ever.
func TestTLSInPlace(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("tls", network)
	s.ensure(svc)
	plain := s.listener(443)

	first, second := s.world.Certificate("first"), s.world.Certificate("second")
	annotated(own+"ssl-cert", first+","+second, own+"ssl-ports", "https")(svc)
	s.ensure(svc)
	s.idle(svc)
	tls := s.listener(443)
	if *tls.ListenerArn != *plain.ListenerArn || tls.Protocol != networktypes.ProtocolEnumTls || *tls.Certificates[0].CertificateArn != first {
		t.Errorf("listener %s with %v, was %s", *tls.ListenerArn, tls, *plain.ListenerArn)
	}
	if s.listener(80).Protocol != networktypes.ProtocolEnumTcp {
		t.Error("port 80 terminates TLS too")
	}
	extra, err := s.world.Network.DescribeListenerCertificates(t.Context(), &networkapi.DescribeListenerCertificatesInput{ListenerArn: tls.ListenerArn})
	s.must(err, "reading the certificates")
	if !slices.ContainsFunc(extra.Certificates, func(c networktypes.Certificate) bool { return *c.CertificateArn == second }) {
		t.Errorf("certificates %v lack %s", extra.Certificates, second)
	}

	svc.Annotations[own+"backend-protocol"] = "ssl"
	s.ensure(svc)
	s.idle(svc)
	if g := s.targetGroup(443); g.Protocol != networktypes.ProtocolEnumTls {
		t.Errorf("target group %v", g)
	}
	for _, key := range []string{"ssl-cert", "ssl-ports", "backend-protocol"} {
		delete(svc.Annotations, own+key)
	}
	s.ensure(svc)
	s.idle(svc)
	if l := s.listener(443); *l.ListenerArn != *plain.ListenerArn || l.Protocol != networktypes.ProtocolEnumTcp {
		t.Errorf("listener %v", l)
	}
	s.gone(svc, before)
}

// TestGuard has the security groups of a network balancer come and go.
func TestGuard(t *testing.T) {
	s := newSite(t, siteOptions{global: []string{"NLBSecurityGroupMode = Managed"}})
	mine := s.world.Group(t, "mine")
	before := s.inventory()
	svc := s.service("guarded", network)
	s.ensure(svc)
	s.idle(svc)
	if got := s.lines("rule of k8s-shop-guarded"); len(got) != 3 {
		t.Errorf("rules %q, want two ports and fragmentation", got)
	}
	svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24", "198.51.100.0/24"}
	s.ensure(svc)
	s.idle(svc)
	if got := s.lines("rule of k8s-shop-guarded"); len(got) != 6 || strings.Contains(strings.Join(got, " "), "0.0.0.0/0") {
		t.Errorf("rules %q", got)
	}
	svc.Annotations[own+"security-groups"] = mine
	s.ensure(svc)
	s.idle(svc)
	if got := s.balancer().SecurityGroups; !slices.Equal(got, []string{mine}) || len(s.lines("security group k8s-")) > 0 {
		t.Errorf("the balancer has %v; groups %q", got, s.lines("security group"))
	}
	delete(svc.Annotations, own+"security-groups")
	s.ensure(svc)
	s.idle(svc)
	s.gone(svc, before)
}

// TestGroupless keeps a balancer that was made without security groups.
func TestGroupless(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("old", network)
	s.ensure(svc)
	s = on(t, s.world, s.nodes, siteOptions{global: []string{"NLBSecurityGroupMode = Managed"}})
	s.ensure(svc)
	s.idle(svc)
	if got := s.balancer().SecurityGroups; len(got) > 0 {
		t.Errorf("security groups %v", got)
	}
}

// TestSharedProbe has two balancers that check one port of the nodes: the rule for it is one, and
// goes with the last of them. Upstream removes it under the other one's feet.
func TestSharedProbe(t *testing.T) {
	s := newSite(t, siteOptions{global: []string{"ClusterServiceLoadBalancerHealthProbeMode = Shared"}})
	before := s.inventory()
	one, two := s.service("one", network), s.service("two", network)
	one.Spec.LoadBalancerSourceRanges, two.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}, []string{"192.0.2.0/24"}
	two.Spec.Ports = []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 31080}}
	s.ensure(one)
	s.ensure(two)
	s.idle(one)
	s.idle(two)
	probe := func() (rules []string) {
		return slices.DeleteFunc(s.lines("rule of nodes: tcp 10256-10256"), func(line string) bool { return strings.Contains(line, "client") })
	}
	if got := probe(); len(got) != 3 {
		t.Fatalf("rules of the probe %q, want one for each subnet", got)
	}
	s.remove(one)
	if got := probe(); len(got) != 3 {
		t.Errorf("rules of the probe %q while one balancer is left", got)
	}
	if got := s.lines("rule of nodes: icmp"); len(got) != 1 {
		t.Errorf("rules of fragmentation %q while one balancer is left", got)
	}
	s.idle(two)
	s.gone(two, before)
}

// TestSharedProbeIsConfirmed: a deletion that may be left the rules of another balancer looks for them afterwards. One that may not
// does not look again.
func TestSharedProbeIsConfirmed(t *testing.T) {
	s := newSite(t, siteOptions{global: []string{"ClusterServiceLoadBalancerHealthProbeMode = Shared"}})
	one, two := s.service("one", network), s.service("two", network)
	for _, svc := range []*corev1.Service{one, two} {
		svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
		s.ensure(svc)
	}
	for _, test := range []struct {
		svc   *corev1.Service
		again bool
	}{{two, true}, {one, false}} { // the rules have the name of the first one
		from := len(s.proxy.Calls())
		s.remove(test.svc)
		deleted, again := false, false
		for _, call := range s.proxy.Calls()[from:] {
			deleted = deleted || call.String() == "elbv2 DeleteLoadBalancer"
			again = again || deleted && call.String() == "elbv2 DescribeLoadBalancers"
		}
		if !deleted || again != test.again {
			t.Errorf("%s: deleted %t, and looked at again %t, want %t", test.svc.Name, deleted, again, test.again)
		}
	}
}

// TestSharedProbeTogether deletes two balancers at once that share the rules of their health checks: each may leave these to the
// other one, and none is left.
func TestSharedProbeTogether(t *testing.T) {
	s := newSite(t, siteOptions{global: []string{"ClusterServiceLoadBalancerHealthProbeMode = Shared"}})
	before := s.inventory()
	for range 3 {
		one, two := s.service("one", network), s.service("two", network)
		for _, svc := range []*corev1.Service{one, two} {
			svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
			s.ensure(svc)
		}
		var all sync.WaitGroup
		for _, svc := range []*corev1.Service{one, two} {
			all.Go(func() {
				if err := s.tryRemove(svc); err != nil {
					t.Errorf("deleting the balancer of %s: %v", svc.Name, err)
				}
			})
		}
		all.Wait()
		s.left(before, s.inventory())
	}
}

// TestBothProtocols has TCP and UDP on one port.
func TestBothProtocols(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("dns", network)
	svc.Spec.Ports = []corev1.ServicePort{
		{Name: "tcp", Protocol: corev1.ProtocolTCP, Port: 53, NodePort: 30053},
		{Name: "udp", Protocol: corev1.ProtocolUDP, Port: 53, NodePort: 30054},
	}
	if err := s.try(svc); err == nil || !strings.Contains(err.Error(), "same node port") {
		t.Fatalf("two node ports: %v", err)
	}
	if diff := cmp.Diff(before, s.inventory()); diff != "" {
		t.Errorf("made for what is refused (-before +after):\n%s", diff)
	}
	svc.Spec.Ports[1].NodePort = 30053
	s.ensure(svc)
	s.idle(svc)
	if l := s.listener(53); l.Protocol != networktypes.ProtocolEnumTcpUdp {
		t.Errorf("protocol %s", l.Protocol)
	}
	svc.Spec.Ports = svc.Spec.Ports[1:]
	s.ensure(svc)
	s.idle(svc)
	if l := s.listener(53); l.Protocol != networktypes.ProtocolEnumUdp {
		t.Errorf("protocol %s", l.Protocol)
	}
	s.gone(svc, before)
}

// TestAddresses gives a balancer Elastic IPs, more of them with more subnets, and dual stack.
func TestAddresses(t *testing.T) {
	s := newSite(t, siteOptions{ipv6: true})
	before := s.inventory()
	first, second := s.world.ElasticIP(t), s.world.ElasticIP(t)
	svc := s.service("fixed", network, annotated(own+"subnets", s.world.Public[1], own+"eip-allocations", first))
	s.ensure(svc)
	s.idle(svc)
	at := func() map[string]string {
		places := map[string]string{}
		for _, zone := range s.balancer().AvailabilityZones {
			places[*zone.SubnetId] = ""
			for _, address := range zone.LoadBalancerAddresses {
				places[*zone.SubnetId] = awssdk.ToString(address.AllocationId)
			}
		}
		return places
	}
	if diff := cmp.Diff(map[string]string{s.world.Public[1]: first}, at()); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	annotated(own+"subnets", s.world.Public[1]+","+s.world.Public[0], own+"eip-allocations", first+", "+second)(svc)
	svc.Spec.IPFamilies = append(svc.Spec.IPFamilies, corev1.IPv6Protocol)
	s.ensure(svc)
	s.idle(svc)
	if diff := cmp.Diff(map[string]string{s.world.Public[1]: first, s.world.Public[0]: second}, at()); diff != "" {
		t.Errorf("addresses in the order of the annotations (-want +got):\n%s", diff)
	}
	if kind := s.balancer().IpAddressType; kind != networktypes.IpAddressTypeDualstack {
		t.Errorf("addresses of type %s", kind)
	}
	svc.Spec.IPFamilies = svc.Spec.IPFamilies[:1]
	s.ensure(svc)
	s.idle(svc)
	if kind := s.balancer().IpAddressType; kind != networktypes.IpAddressTypeIpv4 {
		t.Errorf("addresses of type %s", kind)
	}
	s.gone(svc, before)
}

// TestAddressTargets registers nodes by their addresses.
func TestAddressTargets(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("addresses", network, annotated(own+"nlb-target-type", "ip"))
	s.ensure(svc)
	s.idle(svc)
	if got := s.lines("target group"); len(got) != 2 || !strings.Contains(got[0], "targets [10.0.") {
		t.Errorf("%q", got)
	}
	s.nodes = s.nodes[:1]
	s.ensure(svc)
	s.idle(svc)
	delete(svc.Annotations, own+"nlb-target-type")
	s.ensure(svc)
	s.idle(svc)
	if got := s.lines("target group"); len(got) != 2 || !strings.Contains(got[0], "targets [i-") {
		t.Errorf("%q", got)
	}
	s.gone(svc, before)
}

// TestLogBucket changes the bucket of an access log. A log without one is refused by name, and
// the log that is written goes on.
func TestLogBucket(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("logged", network, annotated(own+"access-log-enabled", "true", own+"access-log-s3-bucket-name", "first"))
	s.ensure(svc)
	s.idle(svc)
	svc.Annotations[own+"access-log-s3-bucket-name"] = "second"
	s.ensure(svc)
	s.idle(svc)
	if got := s.lookNetwork(svc).attributes["access_logs.s3.bucket"]; got != "second" {
		t.Errorf("bucket %q", got)
	}
	delete(svc.Annotations, own+"access-log-s3-bucket-name")
	if err := s.try(svc); err == nil || !strings.Contains(err.Error(), own+"access-log-s3-bucket-name") {
		t.Errorf("a log without a bucket: %v", err)
	}
	if got := s.lookNetwork(svc).attributes["access_logs.s3.bucket"]; got != "second" {
		t.Errorf("bucket %q", got)
	}
	delete(svc.Annotations, own+"access-log-enabled")
	s.ensure(svc)
	s.idle(svc)
	if got := s.lookNetwork(svc).attributes["access_logs.s3.enabled"]; got != "false" {
		t.Errorf("the log is still written: %q", got)
	}
}

// TestStickiness has clients come to the same node again.
func TestStickiness(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("sticky", network)
	svc.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
	s.ensure(svc)
	s.idle(svc)
	if got := s.lookNetwork(svc).groupAttributes["stickiness.enabled"]; got != "true" {
		t.Errorf("stickiness %q", got)
	}
	svc.Spec.SessionAffinity = corev1.ServiceAffinityNone
	s.ensure(svc)
	s.idle(svc)
	if got := s.lookNetwork(svc).groupAttributes["stickiness.enabled"]; got != "false" {
		t.Errorf("stickiness %q", got)
	}
}

// TestRefusedTarget has a node that AWS does not take, because it is stopped: the others serve, the Service has its address and
// says which node is missing, and it is taken once it runs, by another process at the latest.
func TestRefusedTarget(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	before := s.inventory()
	stopped := instanceID(s.nodes[0])
	s.world.Stop(t, stopped)
	svc := s.service("web", network)
	s.ensure(svc)
	for range 5 { // more often than what does not converge is tried
		s.idle(svc)
	}
	if len(svc.Status.LoadBalancer.Ingress) != 1 || len(s.lines("network listener")) != 2 {
		t.Errorf("status %+v, listeners %q", svc.Status, s.lines("network listener"))
	}
	s.skipped(s.nodes[0], "not in a running state")
	s.behindEach(s.nodes[1:]...)
	s.world.Start(t, stopped)
	next := on(t, s.world, s.nodes, siteOptions{})
	next.ensure(svc)
	next.behindEach(s.nodes...)
	next.idle(svc)
	next.gone(svc, before)
}

// TestRefusedBehindOneListener has a node stop that is behind a listener: it stays there, and the listener that comes afterwards has
// the others.
func TestRefusedBehindOneListener(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	before := s.inventory()
	svc := s.service("web", network)
	all := svc.Spec.Ports
	svc.Spec.Ports = all[:1]
	s.ensure(svc)
	stopped := instanceID(s.nodes[0])
	s.world.Stop(t, stopped)
	svc.Spec.Ports = all
	s.ensure(svc)
	for range 5 {
		s.idle(svc)
	}
	s.skipped(s.nodes[0], "not in a running state")
	for _, group := range s.lines("target group") {
		first := strings.Contains(group, fmt.Sprintf(" port %d ", all[0].NodePort))
		if strings.Contains(group, stopped) != first || !strings.Contains(group, instanceID(s.nodes[1])) || !strings.Contains(group, instanceID(s.nodes[2])) {
			t.Errorf("%s, want the nodes that run, and %s only behind port %d", group, stopped, all[0].Port)
		}
	}
	s.gone(svc, before)
}

// skipped checks that a node, and no other one, is said to be no target for that reason, and nothing worse.
func (s *site) skipped(node *corev1.Node, reason string) {
	s.Helper()
	said := strings.Join(s.events.said, "\n")
	if !strings.Contains(said, "TargetSkipped: "+node.Name+": the cloud refuses it as a target") || !strings.Contains(said, reason) {
		s.Errorf("nothing says that %s is no target: %s", node.Name, said)
	}
	for _, worse := range []string{"CloudFailure", "NotConverging", "DriftRepaired", "NoTargets"} {
		if strings.Contains(said, worse) {
			s.Errorf("said %s", said)
		}
	}
}

// behindEach checks that each target group has these nodes.
func (s *site) behindEach(nodes ...*corev1.Node) {
	s.Helper()
	var ids []string
	for _, n := range nodes {
		ids = append(ids, instanceID(n))
	}
	slices.Sort(ids)
	for _, line := range s.lines("target group") {
		if !strings.HasSuffix(line, "targets ["+strings.Join(ids, " ")+"]") {
			s.Errorf("%s, want %q", line, ids)
		}
	}
}

// TestTooManyTargets has a quota of fewer targets than there are nodes: as many as it allows serve, the Service has its
// address and says which node is left out, and nothing is asked again at once.
func TestTooManyTargets(t *testing.T) {
	s := newSite(t, siteOptions{nodes: 3})
	before := s.inventory()
	s.proxy.MostTargets(2)
	svc := s.service("web", network)
	s.ensure(svc)
	if len(svc.Status.LoadBalancer.Ingress) != 1 || len(s.lines("network listener")) != 2 {
		t.Errorf("status %+v, listeners %q", svc.Status, s.lines("network listener"))
	}
	said, out := strings.Join(s.events.said, "\n"), ""
	for _, n := range s.nodes {
		if strings.Contains(said, n.Name+": the cloud refuses it as a target") {
			out += instanceID(n)
		}
	}
	if out == "" || !strings.Contains(said, "TargetSkipped: ") || !strings.Contains(said, "The maximum number of targets") {
		t.Errorf("said %s", said)
	}
	for _, line := range s.lines("target group") {
		has := 0
		for _, n := range s.nodes {
			if strings.Contains(line, instanceID(n)) {
				has++
			}
		}
		if has != 2 || strings.Contains(line, out) {
			t.Errorf("%s, want all but %s", line, out)
		}
	}
	s.idle(svc)
	s.gone(svc, before)
}

// TestForeignName asks for the name of somebody else's balancer: the Service keeps its own, with its
// nodes, and deletes it in the end.
func TestForeignName(t *testing.T) {
	s := newSite(t, siteOptions{})
	theirs := s.service("theirs", network, annotated(own+"name", "front"))
	s.ensure(theirs)
	before := s.inventory()
	svc := s.service("ours", network)
	svc.Spec.Ports = []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 31080}}
	s.ensure(svc)
	svc.Annotations[own+"name"] = "front"
	s.ensure(svc)
	s.gone(svc, before)
}

// TestUsersTargetGroup leaves a target group alone that somebody has put behind our listener.
func TestUsersTargetGroup(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", network)
	s.ensure(svc)
	made, err := s.world.Network.CreateTargetGroup(t.Context(), &networkapi.CreateTargetGroupInput{
		Name: awssdk.String("mine"), Port: awssdk.Int32(9000), Protocol: networktypes.ProtocolEnumTcp, VpcId: &s.world.VPC,
	})
	s.must(err, "making a target group")
	arn := made.TargetGroups[0].TargetGroupArn
	_, err = s.world.Network.ModifyListener(t.Context(), &networkapi.ModifyListenerInput{
		ListenerArn: s.listener(443).ListenerArn, DefaultActions: []networktypes.Action{{Type: networktypes.ActionTypeEnumForward, TargetGroupArn: arn}},
	})
	s.must(err, "leading the listener elsewhere")
	s.remove(svc)
	left := s.lines("target group")
	if len(left) != 1 || !strings.Contains(left[0], "port 9000") {
		t.Errorf("left %q, want the user's", left)
	}
}
