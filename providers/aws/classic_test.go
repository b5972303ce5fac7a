package aws

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// classicDriver is a driver without clients: all that is pure works.
func classicDriver() *Driver {
	return wire(session.Clients{}, config.Config{Cluster: tag.Cluster{ID: "test", VPC: "vpc-1"}}, "kubernetes")
}

// classicSpec is a Service of two ports, with annotations as key, value, key, value. Keys without
// a slash are upstream's.
func classicSpec(annotations ...string) cloud.Spec {
	options := map[string]string{}
	for i := 0; i < len(annotations); i += 2 {
		for _, key := range option.All() {
			if slices.Contains(key.Spellings(), option.Prefix+annotations[i]) {
				options[key.Name] = annotations[i+1]
			}
		}
	}
	return cloud.Spec{
		Ref: cloud.Ref{Owner: cloud.Owner{Cluster: "test", Namespace: "shop", Name: "web", UID: "11111111-2222-3333-4444-555555555555"}},
		Ports: []cloud.Port{
			{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080},
			{Name: "https", Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443},
		},
		HealthPort: 10256,
		Options:    options,
		Lookups:    map[string]string{lookupSubnets: "subnet-b,subnet-a"},
	}
}

func TestClassicProtocols(t *testing.T) {
	for _, c := range []struct {
		tls            bool
		backend        string
		listener, node cloud.Protocol
		refused        bool
	}{
		{tls: true, listener: "SSL", node: "TCP"},
		{tls: true, backend: "tcp", listener: "SSL", node: "TCP"},
		{tls: true, backend: "ssl", listener: "SSL", node: "SSL"},
		{tls: true, backend: "http", listener: "HTTPS", node: "HTTP"},
		{tls: true, backend: "https", listener: "HTTPS", node: "HTTPS"},
		{tls: true, backend: "udp", refused: true},
		{listener: "TCP", node: "TCP"},
		{backend: "http", listener: "HTTP", node: "HTTP"},
		{backend: "https", listener: "TCP", node: "TCP"},
		{backend: "HTTP", listener: "TCP", node: "TCP"},
	} {
		listener, node, ok := classicProtocols(c.tls, c.backend)
		if ok == c.refused || ok && (listener != c.listener || node != c.node) {
			t.Errorf("TLS %t, backend %q: %s to %s, %t; want %s to %s", c.tls, c.backend, listener, node, ok, c.listener, c.node)
		}
	}
}

func TestClassicTLSPorts(t *testing.T) {
	for ports, want := range map[string]string{"": "80,443", "*": "80,443", "443": "443", "https": "443", "HTTPS": "", "80,https": "80,443", "8080": ""} {
		annotations := []string{"ssl-cert", "arn:aws:acm:eu-central-1:1:certificate/a"}
		if ports != "" {
			annotations = append(annotations, "ssl-ports", ports)
		}
		list, err := wantedClassicListeners(classicSpec(annotations...))
		var got []string
		for _, l := range list {
			if l.Protocol == protocolSSL {
				got = append(got, strconv.Itoa(l.Port))
			}
		}
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("ssl-ports %q: TLS at %v, %v; want %s", ports, got, err, want)
		}
	}
}

func TestClassicHealth(t *testing.T) {
	shared := classicDriver()
	shared.config.Balancer.Probe = &config.Probe{Port: 10256, Path: "/healthz"}
	local := func(spec cloud.Spec) cloud.Spec {
		spec.Local, spec.HealthPort = true, 31000
		return spec
	}
	for _, c := range []struct {
		name string
		d    *Driver
		spec cloud.Spec
		want string
	}{
		{"cluster", classicDriver(), classicSpec(), "TCP:30080 10s 5s 2 6"},
		{"cluster, https behind", classicDriver(), classicSpec("backend-protocol", "https"), "SSL:30080 10s 5s 2 6"},
		{"cluster, ssl behind", classicDriver(), classicSpec("backend-protocol", "ssl"), "SSL:30080 10s 5s 2 6"},
		{"cluster, http behind", classicDriver(), classicSpec("backend-protocol", "http"), "TCP:30080 10s 5s 2 6"},
		{"local", classicDriver(), local(classicSpec()), "HTTP:31000/healthz 10s 5s 2 6"},
		{"local, traffic port", classicDriver(), local(classicSpec("healthcheck-port", "traffic-port")), "HTTP:30080/healthz 10s 5s 2 6"},
		{"local, tcp", classicDriver(), local(classicSpec("healthcheck-protocol", "TCP")), "TCP:31000 10s 5s 2 6"},
		{"shared", shared, classicSpec(), "HTTP:10256/healthz 10s 5s 2 6"},
		{"shared, local", shared, local(classicSpec()), "HTTP:31000/healthz 10s 5s 2 6"},
		{"shared, port", shared, classicSpec("healthcheck-port", "8080"), "HTTP:8080/healthz 10s 5s 2 6"},
		{"protocol", classicDriver(), classicSpec("healthcheck-protocol", "HTTP"), "HTTP:30080/ 10s 5s 2 6"},
		{"path", classicDriver(), classicSpec("healthcheck-protocol", "HTTPS", "healthcheck-path", "/live"), "HTTPS:30080/live 10s 5s 2 6"},
		{"path without a meaning", classicDriver(), classicSpec("healthcheck-path", "/live"), "TCP:30080 10s 5s 2 6"},
		{"numbers", classicDriver(), classicSpec("healthcheck-interval", "20", "healthcheck-timeout", "7", "healthcheck-healthy-threshold", "3", "healthcheck-unhealthy-threshold", "4"), "TCP:30080 20s 7s 3 4"},
	} {
		h := c.d.wantedClassicHealth(c.spec)
		got := strings.Join([]string{classicTarget(*h), h.Interval.String(), h.Timeout.String(), strconv.Itoa(h.Healthy), strconv.Itoa(h.Unhealthy)}, " ")
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestViewClassicHealth(t *testing.T) {
	for target, want := range map[string]cloud.Health{
		"TCP:30080":            {Protocol: "TCP", Port: 30080},
		"HTTP:10256/healthz":   {Protocol: "HTTP", Port: 10256, Path: "/healthz"},
		"HTTPS:443/a/b?c=d:e":  {Protocol: "HTTPS", Port: 443, Path: "/a/b?c=d:e"},
		"http:80/":             {Protocol: "HTTP", Port: 80, Path: "/"},
		"nonsense":             {Protocol: "nonsense"},
		"HTTP:traffic-port/ok": {Protocol: "HTTP:traffic-port/ok"},
	} {
		got := viewClassicHealth(&elbtypes.HealthCheck{Target: &target})
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

// stored is the balancer as AWS describes it after it was made like this: with what AWS adds by
// itself.
func stored(b cloud.Balancer, tags map[string]string) *classicBalancer {
	lb := &classicBalancer{tags: map[string]string{"aws:cloudformation:stack-name": "not ours", "team-of-the-admin": "not ours either"}}
	lb.LoadBalancerName, lb.VPCId = &b.Name, new("vpc-1")
	lb.Scheme = new("internet-facing")
	if b.Scope == cloud.ScopeInternal {
		lb.Scheme = new("internal")
	}
	lb.Policies = &elbtypes.Policies{OtherPolicies: []string{defaultTLSPolicy, proxyPolicy}}
	for _, l := range b.Listeners {
		description := elbtypes.ListenerDescription{Listener: new(classicInput(l))}
		switch policy := l.ProviderFields[fieldTLSPolicy]; policy {
		case "":
		case defaultTLSPolicy:
			description.PolicyNames = []string{defaultTLSPolicy}
		default:
			description.PolicyNames = []string{"my-stickiness", tlsPolicyPrefix + policy}
		}
		if l.ProviderFields[fieldProxy] == "true" {
			lb.BackendServerDescriptions = append(lb.BackendServerDescriptions, elbtypes.BackendServerDescription{InstancePort: new(int32(l.TargetPort)), PolicyNames: []string{proxyPolicy}})
		}
		lb.ListenerDescriptions = append(lb.ListenerDescriptions, description)
	}
	slices.Reverse(lb.ListenerDescriptions)
	lb.HealthCheck = &elbtypes.HealthCheck{
		Target: new(classicTarget(*b.Health)), Interval: new(int32(b.Health.Interval / time.Second)), Timeout: new(int32(b.Health.Timeout / time.Second)),
		HealthyThreshold: new(int32(b.Health.Healthy)), UnhealthyThreshold: new(int32(b.Health.Unhealthy)),
	}
	lb.Subnets = listOf(b.ProviderFields[fieldSubnets])
	slices.Reverse(lb.Subnets)
	lb.SecurityGroups = strings.Split(strings.ReplaceAll(b.ProviderFields[fieldGroups], ownGroup, "sg-own"), ",")
	maps.Copy(lb.tags, tags)
	lb.attributes = storedAttributes(b.ProviderFields)
	return lb
}

func storedAttributes(extras map[string]string) *elbtypes.LoadBalancerAttributes {
	a := &elbtypes.LoadBalancerAttributes{
		AccessLog:              &elbtypes.AccessLog{Enabled: extras[fieldLog] == "true", EmitInterval: parse32(extras[fieldLogInterval])},
		ConnectionDraining:     &elbtypes.ConnectionDraining{Enabled: extras[fieldDraining] == "true", Timeout: new(int32(300))},
		ConnectionSettings:     &elbtypes.ConnectionSettings{IdleTimeout: parse32(extras[fieldIdleTimeout])},
		CrossZoneLoadBalancing: &elbtypes.CrossZoneLoadBalancing{Enabled: extras[fieldCrossZone] == "true"},
		AdditionalAttributes:   []elbtypes.AdditionalAttribute{{Key: new("elb.http.desyncmitigationmode"), Value: new("defensive")}},
	}
	if extras[fieldLog] == "true" {
		a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = new(extras[fieldLogBucket]), new(extras[fieldLogPrefix])
	}
	if timeout := parse32(extras[fieldDrainingTimeout]); timeout != nil {
		a.ConnectionDraining.Timeout = timeout
	}
	return a
}

// ownOf is the security group of a balancer as EC2 describes it, with its rules.
func ownOf(d *Driver, b cloud.Balancer, spec cloud.Spec) ec2types.SecurityGroup {
	own := secgroup.ClassicName(b.Name, spec.Ref.Owner)
	group := ec2types.SecurityGroup{GroupId: new("sg-own"), GroupName: &own.Name, Description: &own.Description, Tags: tag.List(d.config.Cluster.Tags())}
	for _, r := range wantedClassicIngress(spec).Sorted() {
		group.IpPermissions = append(group.IpPermissions, r.Permission(""))
	}
	return group
}

// TestClassicRoundTrip: what was made as asked for is seen as asked for.
func TestClassicRoundTrip(t *testing.T) {
	ranged := classicSpec()
	ranged.SourceRanges = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
	certificate := "arn:aws:iam::1:server-certificate/a"
	for name, spec := range map[string]cloud.Spec{
		"plain":         classicSpec(),
		"source ranges": ranged,
		"internal":      classicSpec("internal", "true"),
		"TLS":           classicSpec("ssl-cert", certificate, "ssl-ports", "443", "backend-protocol", "http"),
		"policy":        classicSpec("ssl-cert", certificate, "ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01"),
		"proxy":         classicSpec("proxy-protocol", "*"),
		"log":           classicSpec("access-log-enabled", "true", "access-log-s3-bucket-name", "b", "access-log-s3-bucket-prefix", "p", "access-log-emit-interval", "5"),
		"bucket only":   classicSpec("access-log-s3-bucket-name", "b"),
		"draining":      classicSpec("connection-draining-enabled", "true", "connection-draining-timeout", "17"),
		"timeout only":  classicSpec("connection-draining-timeout", "17"),
		"idle":          classicSpec("connection-idle-timeout", "600", "cross-zone-load-balancing-enabled", "true"),
		"tags":          classicSpec("additional-resource-tags", "stage=prod,team="),
		"groups":        classicSpec("security-groups", "sg-b,sg-a", "extra-security-groups", "sg-c"),
		"extra groups":  classicSpec("extra-security-groups", "sg-z,sg-a"),
	} {
		t.Run(name, func(t *testing.T) {
			d := classicDriver()
			want, _, err := d.normalizeClassic(spec)
			if err != nil {
				t.Fatal(err)
			}
			s := &snapshot{area: &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{}}, classic: stored(want, d.config.Cluster.ObjectTags(spec))}
			if d.hasOwnGroup(spec) {
				s.area.Groups["sg-own"] = ownOf(d, want, spec)
			}
			got := d.viewClassic(s, spec)
			if diff := cmp.Diff(want.Fields(), got.Fields()); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Listeners, got.Listeners); diff != "" {
				t.Errorf("listeners (-want +got):\n%s", diff)
			}
		})
	}
}

func TestViewClassicPolicy(t *testing.T) {
	lb := &classicBalancer{}
	lb.Policies = &elbtypes.Policies{OtherPolicies: []string{"mine", "ELBSecurityPolicy-2015-05"}}
	const annotated = "ELBSecurityPolicy-TLS-1-1-2017-01"
	for _, c := range []struct {
		names      []string
		annotation string
		want       string
	}{
		{nil, "", defaultTLSPolicy},
		{nil, annotated, defaultTLSPolicy},
		{[]string{"ELBSecurityPolicy-2015-05"}, "", defaultTLSPolicy},
		{[]string{"ELBSecurityPolicy-2015-05"}, annotated, "ELBSecurityPolicy-2015-05"},
		{[]string{tlsPolicyPrefix + annotated}, annotated, annotated},
		{[]string{tlsPolicyPrefix + annotated}, "", annotated},
		{[]string{"sticky", tlsPolicyPrefix + annotated}, "", annotated},
		{[]string{"mine"}, "", "mine"},
		{[]string{"sticky"}, "", defaultTLSPolicy},
	} {
		spec := classicSpec()
		if c.annotation != "" {
			spec = classicSpec("ssl-negotiation-policy", c.annotation)
		}
		if got := lb.viewPolicy(c.names, spec); got != c.want {
			t.Errorf("policies %v, annotation %q: %s, want %s", c.names, c.annotation, got, c.want)
		}
	}
}

func TestClassicRefuses(t *testing.T) {
	change := func(edit func(*cloud.Spec)) cloud.Spec {
		spec := classicSpec()
		edit(&spec)
		return spec
	}
	for field, spec := range map[string]cloud.Spec{
		"spec.ports[1].protocol":        change(func(s *cloud.Spec) { s.Ports[1].Protocol = cloud.ProtocolUDP }),
		"spec.ports[0].nodePort":        change(func(s *cloud.Spec) { s.Ports[0].NodePort = 0 }),
		"spec.ports":                    change(func(s *cloud.Spec) { s.Ports = nil }),
		"spec.sessionAffinity":          change(func(s *cloud.Spec) { s.ClientIP = true }),
		"spec.ipFamilies":               change(func(s *cloud.Spec) { s.IPv6 = true }),
		"spec.loadBalancerSourceRanges": change(func(s *cloud.Spec) { s.SourceRanges = []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")} }),
		option.Subnets.Name:             change(func(s *cloud.Spec) { s.Lookups = map[string]string{lookupSubnetProblem: "there are none"} }),
		option.Backend.Name:             classicSpec("ssl-cert", "arn", "backend-protocol", "udp"),
		option.Certificate.Name:         classicSpec("ssl-cert", "arn,arn2"),
		option.LogBucket.Name:           classicSpec("access-log-enabled", "true"),
		option.TargetAttributes.Name:    classicSpec("target-group-attributes", "preserve_client_ip.enabled=true"),
		option.Timeout.Name:             classicSpec("healthcheck-timeout", "10"),
		option.HealthPath.Name:          classicSpec("healthcheck-protocol", "HTTP", "healthcheck-path", "live"),
	} {
		_, _, err := classicDriver().normalizeClassic(spec)
		if problem, ok := errors.AsType[*cloud.Invalid](err); !ok || problem.Field != field || problem.Want == "" {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func TestClassicNotes(t *testing.T) {
	spec := classicSpec("eip-allocations", "eipalloc-1", "security-groups", "sg-a")
	spec.SourceRanges = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	b, notes, err := classicDriver().normalizeClassic(spec)
	var fields []string
	for _, note := range notes {
		fields = append(fields, note.Field)
	}
	if want := []string{option.Addresses.Name, "spec.loadBalancerSourceRanges"}; err != nil || !slices.Equal(fields, want) {
		t.Errorf("notes on %v, %v; want %v", fields, err, want)
	}
	if b.Allow != nil {
		t.Errorf("allows %v by rules that are not ours", b.Allow)
	}
}

// TestStaleProxies: the policy of a node port without a listener is seen.
func TestStaleProxies(t *testing.T) {
	want, _, err := classicDriver().normalizeClassic(classicSpec("proxy-protocol", "*"))
	if err != nil {
		t.Fatal(err)
	}
	lb := stored(want, nil)
	lb.BackendServerDescriptions = append(lb.BackendServerDescriptions, elbtypes.BackendServerDescription{InstancePort: new(int32(31999)), PolicyNames: []string{proxyPolicy}})
	if got := lb.staleProxies(); !slices.Equal(got, []int{31999}) {
		t.Errorf("stale %v, want 31999", got)
	}
}

// TestClassicNodeRules: only what was made for the balancer is to be removed from the nodes' groups.
func TestClassicNodeRules(t *testing.T) {
	const first, extra = "security-groups", "extra-security-groups"
	for name, c := range map[string]struct {
		has  string
		rule string // its source, and description
		spec cloud.Spec
		want string
	}{
		"its first group leaves":                   {"sg-a", "sg-a " + ruleOpening, classicSpec(first, "sg-b"), "has all from sg-a"},
		"its first group leaves, an extra stays":   {"sg-a,sg-x", "sg-a " + ruleOpening, classicSpec(first, "sg-b", extra, "sg-x"), "has all from sg-a"},
		"a rule without a word may be anybody's":   {"sg-a", "sg-a", classicSpec(first, "sg-b"), ""},
		"a rule of somebody's":                     {"sg-a", "sg-a monitoring", classicSpec(first, "sg-b"), ""},
		"an extra group beside its own leaves":     {"sg-own,sg-x", "sg-x", classicSpec(), ""},
		"an extra group beside the first leaves":   {"sg-b,sg-x", "sg-x", classicSpec(first, "sg-b"), ""},
		"an extra group stays":                     {"sg-a,sg-x", "sg-x", classicSpec(first, "sg-b", extra, "sg-x"), ""},
		"a group it never had":                     {"sg-a", "sg-z", classicSpec(first, "sg-b"), ""},
		"its own group leaves":                     {"sg-own", "sg-own", classicSpec(first, "sg-b"), "has all from sg-own"},
		"somebody's rule about its own group":      {"sg-own", "sg-own monitoring", classicSpec(first, "sg-b"), ""},
		"its first group stays, no nodes are left": {"sg-b", "sg-b", classicSpec(first, "sg-b"), ""},
	} {
		d := classicDriver()
		own := secgroup.ClassicName("web", c.spec.Ref.Owner)
		source, words, _ := strings.Cut(c.rule, " ")
		s := &snapshot{area: &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{
			"sg-own":   {GroupId: new("sg-own"), GroupName: &own.Name, Description: &own.Description, Tags: tag.List(d.config.Cluster.Tags())},
			"sg-nodes": {GroupId: new("sg-nodes"), Tags: tag.List(d.config.Cluster.Tags()), IpPermissions: []ec2types.IpPermission{secgroup.All(source).Permission(words)}},
		}}, classic: &classicBalancer{}}
		s.classic.LoadBalancerName, s.classic.SecurityGroups = new("web"), listOf(c.has)
		if got := strings.TrimPrefix(d.viewClassicNodes(s, c.spec, cloud.Balancer{}), "sg-nodes "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestInHalves: an instance that is gone does not keep the others from being changed.
func TestInHalves(t *testing.T) {
	gone := &elbtypes.InvalidEndPointException{}
	var done []string
	calls := 0
	err := inHalves([]cloud.InstanceID{"i-1", "i-2", "i-gone", "i-3", "i-4"}, func(list []elbtypes.Instance) error {
		calls++
		var ids []string
		for _, instance := range list {
			ids = append(ids, *instance.InstanceId)
		}
		if slices.Contains(ids, "i-gone") {
			return gone
		}
		done = append(done, ids...)
		return nil
	})
	if !errors.Is(err, gone) || !slices.Equal(done, []string{"i-1", "i-2", "i-3", "i-4"}) || calls != 5 {
		t.Errorf("%v after %d calls, error %v", done, calls, err)
	}
}
