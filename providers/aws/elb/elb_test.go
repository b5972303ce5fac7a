package elb

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
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// newBalancers are balancers without clients: all that is pure works.
func newBalancers() *Balancers {
	cluster := tag.Cluster{ID: "test", VPC: "vpc-1"}
	return &Balancers{Settings: desired.Settings{Cluster: cluster}, Security: &secgroup.Groups{Cluster: cluster, ClusterName: "kubernetes"}}
}

// specOf is a Service of two ports, with annotations as key, value, key, value. Keys without
// a slash are upstream's.
func specOf(annotations ...string) cloud.Input {
	options := map[string]string{}
	for i := 0; i < len(annotations); i += 2 {
		for _, key := range option.All() {
			if slices.Contains(key.Spellings(), option.Prefix+annotations[i]) {
				options[key.Name] = annotations[i+1]
			}
		}
	}
	return cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{Cluster: "test", Namespace: "shop", Name: "web", UID: "11111111-2222-3333-4444-555555555555"},
			Ports: []cloud.Port{
				{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080},
				{Name: "https", Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443},
			},
			HealthPort: 10256,
			Options:    options,
		},
		Environment: cloud.Environment{
			Findings: balancer.Found.Seal(balancer.Findings{Subnets: []string{"subnet-b", "subnet-a"}}),
		},
	}
}

func TestClassicTLSPorts(t *testing.T) {
	for ports, want := range map[string]string{"": "80,443", "*": "80,443", "443": "443", "https": "443", "HTTPS": "", "80,https": "80,443", "8080": ""} {
		annotations := []string{"ssl-cert", "arn:aws:acm:eu-central-1:1:certificate/a"}
		if ports != "" {
			annotations = append(annotations, "ssl-ports", ports)
		}
		b, _, err := newBalancers().Normalize(specOf(annotations...))
		var got []string
		for _, l := range b.Listeners {
			if l.Protocol == desired.ProtocolSSL {
				got = append(got, strconv.Itoa(l.Port))
			}
		}
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("ssl-ports %q: TLS at %v, %v; want %s", ports, got, err, want)
		}
	}
}

func TestClassicHealth(t *testing.T) {
	shared := newBalancers()
	shared.Probe = &config.Probe{Port: 10256, Path: "/healthz"}
	local := func(in cloud.Input) cloud.Input {
		in.Local, in.HealthPort = true, 31000
		return in
	}
	for _, c := range []struct {
		name  string
		d     *Balancers
		input cloud.Input
		want  string
	}{
		{"cluster", newBalancers(), specOf(), "TCP:30080 10s 5s 2 6"},
		{"cluster, https behind", newBalancers(), specOf("backend-protocol", "https"), "SSL:30080 10s 5s 2 6"},
		{"cluster, ssl behind", newBalancers(), specOf("backend-protocol", "ssl"), "SSL:30080 10s 5s 2 6"},
		{"cluster, http behind", newBalancers(), specOf("backend-protocol", "http"), "TCP:30080 10s 5s 2 6"},
		{"local", newBalancers(), local(specOf()), "HTTP:31000/healthz 10s 5s 2 6"},
		{"local, traffic port", newBalancers(), local(specOf("healthcheck-port", "traffic-port")), "HTTP:30080/healthz 10s 5s 2 6"},
		{"local, tcp", newBalancers(), local(specOf("healthcheck-protocol", "TCP")), "TCP:31000 10s 5s 2 6"},
		{"shared", shared, specOf(), "HTTP:10256/healthz 10s 5s 2 6"},
		{"shared, local", shared, local(specOf()), "HTTP:31000/healthz 10s 5s 2 6"},
		{"shared, port", shared, specOf("healthcheck-port", "8080"), "HTTP:8080/healthz 10s 5s 2 6"},
		{"protocol", newBalancers(), specOf("healthcheck-protocol", "HTTP"), "HTTP:30080/ 10s 5s 2 6"},
		{"path", newBalancers(), specOf("healthcheck-protocol", "HTTPS", "healthcheck-path", "/live"), "HTTPS:30080/live 10s 5s 2 6"},
		{"path without a meaning", newBalancers(), specOf("healthcheck-path", "/live"), "TCP:30080 10s 5s 2 6"},
		{"numbers", newBalancers(), specOf("healthcheck-interval", "20", "healthcheck-timeout", "7", "healthcheck-healthy-threshold", "3", "healthcheck-unhealthy-threshold", "4"), "TCP:30080 20s 7s 3 4"},
	} {
		h, err := c.d.Health(c.input.Spec)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join([]string{checkTarget(*h), h.Interval.String(), h.Timeout.String(), strconv.Itoa(h.Healthy), strconv.Itoa(h.Unhealthy)}, " ")
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
		got := viewHealth(&types.HealthCheck{Target: &target})
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

// stored is the balancer as AWS describes it after it was made like this: with what AWS adds by
// itself.
func stored(b cloud.Balancer, tags map[string]string) *Balancer {
	lb := &Balancer{Tags: map[string]string{"aws:cloudformation:stack-name": "not ours", "team-of-the-admin": "not ours either"}}
	lb.LoadBalancerName, lb.VPCId = &b.Name, new("vpc-1")
	lb.Scheme = new("internet-facing")
	if b.Scope == cloud.ScopeInternal {
		lb.Scheme = new("internal")
	}
	lb.Policies = &types.Policies{OtherPolicies: []string{balancer.DefaultTLSPolicy, proxyPolicy}}
	for _, l := range b.Listeners {
		description := types.ListenerDescription{Listener: new(listenerInput(l))}
		switch policy := l.ProviderFields[balancer.FieldTLSPolicy]; policy {
		case "":
		case balancer.DefaultTLSPolicy:
			description.PolicyNames = []string{balancer.DefaultTLSPolicy}
		default:
			description.PolicyNames = []string{"my-stickiness", tlsPolicyPrefix + policy}
		}
		if l.ProviderFields[balancer.FieldProxy] == "true" {
			lb.BackendServerDescriptions = append(lb.BackendServerDescriptions, types.BackendServerDescription{InstancePort: new(int32(l.TargetPort)), PolicyNames: []string{proxyPolicy}})
		}
		lb.ListenerDescriptions = append(lb.ListenerDescriptions, description)
	}
	slices.Reverse(lb.ListenerDescriptions)
	lb.HealthCheck = &types.HealthCheck{
		Target: new(checkTarget(*b.Health)), Interval: new(int32(b.Health.Interval / time.Second)), Timeout: new(int32(b.Health.Timeout / time.Second)),
		HealthyThreshold: new(int32(b.Health.Healthy)), UnhealthyThreshold: new(int32(b.Health.Unhealthy)),
	}
	lb.Subnets = balancer.List(b.ProviderFields[balancer.FieldSubnets])
	slices.Reverse(lb.Subnets)
	lb.SecurityGroups = strings.Split(strings.ReplaceAll(b.ProviderFields[balancer.FieldGroups], secgroup.OwnGroup, "sg-own"), ",")
	maps.Copy(lb.Tags, tags)
	lb.attributes = viewAttributes(storedAttributes(b.ProviderFields))
	return lb
}

func storedAttributes(fields map[string]string) *types.LoadBalancerAttributes {
	a := &types.LoadBalancerAttributes{
		AccessLog:              &types.AccessLog{Enabled: fields[balancer.FieldLog] == "true", EmitInterval: parse32(fields[balancer.FieldLogInterval])},
		ConnectionDraining:     &types.ConnectionDraining{Enabled: fields[desired.FieldDraining] == "true", Timeout: new(int32(300))},
		ConnectionSettings:     &types.ConnectionSettings{IdleTimeout: parse32(fields[balancer.FieldIdleTimeout])},
		CrossZoneLoadBalancing: &types.CrossZoneLoadBalancing{Enabled: fields[balancer.FieldCrossZone] == "true"},
		AdditionalAttributes:   []types.AdditionalAttribute{{Key: new("elb.http.desyncmitigationmode"), Value: new("defensive")}},
	}
	if fields[balancer.FieldLog] == "true" {
		a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = new(fields[balancer.FieldLogBucket]), new(fields[balancer.FieldLogPrefix])
	}
	if timeout := parse32(fields[desired.FieldDrainingTimeout]); timeout != nil {
		a.ConnectionDraining.Timeout = timeout
	}
	return a
}

// ownOf is the security group of a balancer as EC2 describes it, with its rules.
func ownOf(d *Balancers, b cloud.Balancer, spec cloud.Spec) ec2types.SecurityGroup {
	own := secgroup.ClassicName(b.Name, spec.Owner)
	group := ec2types.SecurityGroup{GroupId: new("sg-own"), GroupName: &own.Name, Description: &own.Description, Tags: tag.List(d.Cluster.Tags())}
	for _, r := range secgroup.ForListeners(b).Sorted() {
		group.IpPermissions = append(group.IpPermissions, secgroup.Permission(r, ""))
	}
	return group
}

// TestClassicRoundTrip: what was made as asked for is seen as asked for.
func TestClassicRoundTrip(t *testing.T) {
	ranged := specOf()
	ranged.SourceRanges = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
	certificate := "arn:aws:iam::1:server-certificate/a"
	for name, in := range map[string]cloud.Input{
		"plain":         specOf(),
		"source ranges": ranged,
		"internal":      specOf("internal", "true"),
		"TLS":           specOf("ssl-cert", certificate, "ssl-ports", "443", "backend-protocol", "http"),
		"policy":        specOf("ssl-cert", certificate, "ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01"),
		"proxy":         specOf("proxy-protocol", "*"),
		"log":           specOf("access-log-enabled", "true", "access-log-s3-bucket-name", "b", "access-log-s3-bucket-prefix", "p", "access-log-emit-interval", "5"),
		"bucket only":   specOf("access-log-s3-bucket-name", "b"),
		"draining":      specOf("connection-draining-enabled", "true", "connection-draining-timeout", "17"),
		"timeout only":  specOf("connection-draining-timeout", "17"),
		"idle":          specOf("connection-idle-timeout", "600", "cross-zone-load-balancing-enabled", "true"),
		"tags":          specOf("additional-resource-tags", "stage=prod,team="),
		"groups":        specOf("security-groups", "sg-b,sg-a", "extra-security-groups", "sg-c"),
		"extra groups":  specOf("extra-security-groups", "sg-z,sg-a"),
	} {
		t.Run(name, func(t *testing.T) {
			d := newBalancers()
			want, _, err := d.Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			s := &Snapshot{Inventory: &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{}}, Name: want.Name, Balancer: stored(want, d.Cluster.ObjectTags(in.Spec))}
			if d.HasOwnGroup(in.Spec) {
				s.Inventory.Groups["sg-own"] = ownOf(d, want, in.Spec)
			}
			got := d.view(s, in.Spec)
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
	lb := &Balancer{}
	lb.Policies = &types.Policies{OtherPolicies: []string{"mine", "ELBSecurityPolicy-2015-05"}}
	const annotated = "ELBSecurityPolicy-TLS-1-1-2017-01"
	for _, c := range []struct {
		names      []string
		annotation string
		want       string
	}{
		{nil, "", balancer.DefaultTLSPolicy},
		{nil, annotated, balancer.DefaultTLSPolicy},
		{[]string{"ELBSecurityPolicy-2015-05"}, "", balancer.DefaultTLSPolicy},
		{[]string{"ELBSecurityPolicy-2015-05"}, annotated, "ELBSecurityPolicy-2015-05"},
		{[]string{tlsPolicyPrefix + annotated}, annotated, annotated},
		{[]string{tlsPolicyPrefix + annotated}, "", annotated},
		{[]string{"sticky", tlsPolicyPrefix + annotated}, "", annotated},
		{[]string{"mine"}, "", "mine"},
		{[]string{"sticky"}, "", balancer.DefaultTLSPolicy},
	} {
		in := specOf()
		if c.annotation != "" {
			in = specOf("ssl-negotiation-policy", c.annotation)
		}
		if got := lb.viewPolicy(c.names, in.Spec); got != c.want {
			t.Errorf("policies %v, annotation %q: %s, want %s", c.names, c.annotation, got, c.want)
		}
	}
}

func TestClassicRefuses(t *testing.T) {
	change := func(edit func(*cloud.Input)) cloud.Input {
		in := specOf()
		edit(&in)
		return in
	}
	for field, in := range map[string]cloud.Input{
		"spec.ports[1].protocol":        change(func(s *cloud.Input) { s.Ports[1].Protocol = cloud.ProtocolUDP }),
		"spec.ports[0].nodePort":        change(func(s *cloud.Input) { s.Ports[0].NodePort = 0 }),
		"spec.ports":                    change(func(s *cloud.Input) { s.Ports = nil }),
		"spec.sessionAffinity":          change(func(s *cloud.Input) { s.ClientIP = true }),
		"spec.loadBalancerSourceRanges": change(func(s *cloud.Input) { s.SourceRanges = []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")} }),
		option.Subnets.Name: change(func(s *cloud.Input) {
			s.Findings = balancer.Found.Seal(balancer.Findings{SubnetProblem: "there are none"})
		}),
		option.Backend.Name:          specOf("ssl-cert", "arn", "backend-protocol", "udp"),
		option.Certificate.Name:      specOf("ssl-cert", "arn,arn2"),
		option.LogBucket.Name:        specOf("access-log-enabled", "true"),
		option.TargetAttributes.Name: specOf("target-group-attributes", "preserve_client_ip.enabled=true"),
		option.Timeout.Name:          specOf("healthcheck-timeout", "10"),
		option.Interval.Name:         specOf("healthcheck-interval", "5"), // nobody set the timeout
		option.HealthPath.Name:       specOf("healthcheck-protocol", "HTTP", "healthcheck-path", "live"),
	} {
		_, _, err := newBalancers().Normalize(in)
		if problem, ok := errors.AsType[*cloud.Invalid](err); !ok || problem.Field != field || problem.Want == "" || problem.Value == "0" {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func TestClassicNotes(t *testing.T) {
	in := specOf("eip-allocations", "eipalloc-1", "security-groups", "sg-a")
	in.SourceRanges = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	b, notes, err := newBalancers().Normalize(in)
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

// TestClassicNodeRules: only what was made for the balancer is to be removed from the nodes' groups.
func TestClassicNodeRules(t *testing.T) {
	const first, extra = "security-groups", "extra-security-groups"
	for name, c := range map[string]struct {
		has   string
		rule  string // its source, and description
		input cloud.Input
		want  string
	}{
		"its first group leaves":                   {"sg-a", "sg-a " + ruleOpening, specOf(first, "sg-b"), "has all from sg-a"},
		"its first group leaves, an extra stays":   {"sg-a,sg-x", "sg-a " + ruleOpening, specOf(first, "sg-b", extra, "sg-x"), "has all from sg-a"},
		"a rule without a word may be anybody's":   {"sg-a", "sg-a", specOf(first, "sg-b"), ""},
		"a rule of somebody's":                     {"sg-a", "sg-a monitoring", specOf(first, "sg-b"), ""},
		"an extra group beside its own leaves":     {"sg-own,sg-x", "sg-x", specOf(), ""},
		"an extra group beside the first leaves":   {"sg-b,sg-x", "sg-x", specOf(first, "sg-b"), ""},
		"an extra group stays":                     {"sg-a,sg-x", "sg-x", specOf(first, "sg-b", extra, "sg-x"), ""},
		"a group it never had":                     {"sg-a", "sg-z", specOf(first, "sg-b"), ""},
		"its own group leaves":                     {"sg-own", "sg-own", specOf(first, "sg-b"), "has all from sg-own"},
		"somebody's rule about its own group":      {"sg-own", "sg-own monitoring", specOf(first, "sg-b"), ""},
		"its first group stays, no nodes are left": {"sg-b", "sg-b", specOf(first, "sg-b"), ""},
	} {
		d := newBalancers()
		own := secgroup.ClassicName("web", c.input.Owner)
		source, words, _ := strings.Cut(c.rule, " ")
		s := &Snapshot{Inventory: &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{
			"sg-own":   {GroupId: new("sg-own"), GroupName: &own.Name, Description: &own.Description, Tags: tag.List(d.Cluster.Tags())},
			"sg-nodes": {GroupId: new("sg-nodes"), Tags: tag.List(d.Cluster.Tags()), IpPermissions: []ec2types.IpPermission{secgroup.Permission(opening(source), words)}},
		}}, Name: "web", Balancer: &Balancer{}}
		s.Balancer.LoadBalancerName, s.Balancer.SecurityGroups = new("web"), balancer.List(c.has)
		var r cloud.Resources
		_, ownID := d.own(s, c.input.Spec)
		err := d.Security.NodeRules(&r, s.Inventory, (&parts{Balancers: d, change: cloud.Change{Input: c.input}, ownID: ownID}).needs(append(d.leaving(s, c.input.Spec), ownID)), nil, false)
		got := ""
		for _, rule := range r.Present {
			got += "has " + strings.TrimSuffix(rule.Key, " in sg-nodes")
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
