package secgroup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// recorder notes which rules are sent.
type recorder struct{ opened, closed []ec2types.IpPermission }

func (r *recorder) answer(input any) (any, error) {
	switch in := input.(type) {
	case *ec2.AuthorizeSecurityGroupIngressInput:
		r.opened = append(r.opened, in.IpPermissions...)
		return &ec2.AuthorizeSecurityGroupIngressOutput{}, nil
	case *ec2.RevokeSecurityGroupIngressInput:
		r.closed = append(r.closed, in.IpPermissions...)
		return &ec2.RevokeSecurityGroupIngressOutput{}, nil
	}
	return nil, fmt.Errorf("nothing answers %T", input)
}

// groups are those of a cluster whose client is the recorder.
func (r *recorder) groups(cluster tag.Cluster) *Groups {
	return &Groups{Cluster: cluster, Client: ec2.New(ec2.Options{APIOptions: ec2test.Answering(r.answer)})}
}

// permissions are rules as EC2 answers with them.
func permissions(rules packetfilter.Rules) (list []ec2types.IpPermission) {
	for _, r := range rules.Sorted() {
		list = append(list, Permission(r, rules[r].Description))
	}
	return list
}

// keys are what resources are, without those of another kind.
func keys(list []cloud.Resource, kind string) (all []string) {
	for _, r := range list {
		if r.Kind == kind {
			all = append(all, r.Key)
		}
	}
	return all
}

// differences says in words which rules are missing and which are too many, "" when they are as they have to
// be.
func differences(r cloud.Resources) string {
	wanted := map[string]bool{}
	var parts []string
	for _, one := range r.Wanted {
		if wanted[one.Key] = true; one.Kind == KindRule {
			parts = append(parts, "lacks "+one.Key)
		}
	}
	for _, one := range r.Present {
		if one.Kind == KindRule && !wanted[one.Key] {
			parts = append(parts, "has "+one.Key)
		}
	}
	return strings.Join(parts, ", ")
}

// The rules of nodes' groups that are missing or too many are resources, and no others.
func TestNodeRules(t *testing.T) {
	const mine = "made for the balancer"
	port := func(protocol cloud.Protocol, port int) packetfilter.Rule {
		return packetfilter.Port(protocol, port, packetfilter.Network("10.0.0.0/8"))
	}
	web, dns, theirs, shared := port(cloud.ProtocolTCP, 80), port(cloud.ProtocolUDP, 53), port(cloud.ProtocolTCP, 22), port(cloud.ProtocolTCP, 10256)
	inv := &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{
		"sg-1": {GroupId: new("sg-1"), IpPermissions: permissions(packetfilter.Rules{dns: {Description: mine}, theirs: {}, shared: {Description: mine}})},
		"sg-2": {GroupId: new("sg-2"), IpPermissions: permissions(packetfilter.Rules{web: {}})},
	}}
	needs := packetfilter.Needs{
		Groups: []string{"sg-1", "sg-2"}, Rules: packetfilter.Rules{web: {Description: mine}},
		Mine:     func(_ packetfilter.Rules, _ packetfilter.Rule, description string) bool { return description == mine },
		NewOwner: func(_ string, r packetfilter.Rule) (bool, string, error) { return r == shared, "another's", nil },
	}
	client := &recorder{}
	gs := client.groups(tag.Cluster{ID: "c"})
	var r cloud.Resources
	if err := gs.NodeRules(&r, inv, needs, nil, false); err != nil {
		t.Fatal(err)
	}
	present, wanted := keys(r.Present, KindRule), keys(r.Wanted, KindRule)
	if !slices.Equal(present, []string{"tcp/10256 from 10.0.0.0/8 in sg-1", "udp/53 from 10.0.0.0/8 in sg-1"}) ||
		!slices.Equal(wanted, []string{"tcp/80 from 10.0.0.0/8 in sg-1", "tcp/10256 from 10.0.0.0/8 in sg-1"}) {
		t.Errorf("present %q, wanted %q", present, wanted)
	}
	if text := differences(r); text != "lacks tcp/80 from 10.0.0.0/8 in sg-1, lacks tcp/10256 from 10.0.0.0/8 in sg-1, has udp/53 from 10.0.0.0/8 in sg-1" {
		t.Errorf("it is said: %s", text)
	}
	if err := gs.ruleKind().Add(t.Context(), r.Wanted[:1]); err != nil || len(client.opened) != 1 || *client.opened[0].IpRanges[0].Description != mine {
		t.Errorf("opened %+v, %v", client.opened, err)
	}
	r = cloud.Resources{}
	if err := gs.NodeRules(&r, inv, needs, nil, true); err != nil || len(r.Present) > 0 || len(r.Wanted) != 1 {
		t.Errorf("with doubt: %+v, %v; want nothing closed", r, err)
	}
}

// A balancer's own group goes after the rules that refer to it; one that is kept has the wanted rules.
func TestOwnGroup(t *testing.T) {
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	gs := (&recorder{}).groups(cluster)
	in := cloud.Input{Spec: cloud.Spec{Owner: cloud.Owner{Cluster: "c", Namespace: "n", Name: "s", UID: "u"}}}
	name := ClassicName("web", in.Owner)
	web, old := packetfilter.Port(cloud.ProtocolTCP, 80, packetfilter.Network("0.0.0.0/0")), packetfilter.Port(cloud.ProtocolTCP, 81, packetfilter.Network("0.0.0.0/0"))
	group := ec2types.SecurityGroup{
		GroupId: new("sg-own"), GroupName: &name.Name, Description: &name.Description, Tags: tag.List(cluster.Tags()), IpPermissions: permissions(packetfilter.Rules{old: {}}),
	}
	inv := &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{
		"sg-own": group, "sg-node": {GroupId: new("sg-node"), IpPermissions: permissions(packetfilter.Rules{packetfilter.All(packetfilter.Peer{Group: "sg-own"}): {}})},
	}}
	var kept, dropped cloud.Resources
	own, err := gs.KeepOwn(t.Context(), &kept, inv, name, in.Spec, packetfilter.Rules{web: {}})
	if err != nil || own.ID != "sg-own" || differences(kept) != "lacks tcp/80 from 0.0.0.0/0 in k8s-elb-web, has tcp/81 from 0.0.0.0/0 in k8s-elb-web" {
		t.Errorf("kept %+v, %v, %q", own, err, differences(kept))
	}
	gs.DropOwn(&dropped, inv, group)
	if want := []string{"all from sg-own in sg-node"}; !slices.Equal(keys(dropped.Present, KindRule), want) || packetfilter.FieldPeer.Of(dropped.Present[1]) != cloud.To(own.Ref()) {
		t.Errorf("dropped %+v, want the group and %q", dropped.Present, want)
	}
	theirs := group
	theirs.GroupName, theirs.Description = new("k8s-elb-theirs"), new(ClassicName("theirs", cloud.Owner{Namespace: "n", Name: "other"}).Description)
	gs.TagOwn(&dropped, []ec2types.SecurityGroup{group, theirs}, in.Owner)
	if tagged := keys(dropped.Wanted, KindTags); !slices.Equal(tagged, []string{"k8s-elb-theirs"}) {
		t.Errorf("tagged %q, want the one that nothing but the balancer says to be the Service's", tagged)
	}
}

// Whoever is let in now is let in again, also where a rule is about a group or a prefix list.
func TestListenersOfThoseWhoAreLetIn(t *testing.T) {
	for _, peer := range []packetfilter.Peer{packetfilter.Network("10.0.0.0/8"), packetfilter.Network("2001:db8::/32"), {Group: "sg-1"}, {List: "pl-1"}} {
		web := packetfilter.Port(cloud.ProtocolTCP, 80, peer)
		seen := Ingress(ec2types.SecurityGroup{IpPermissions: permissions(packetfilter.Rules{web: {}})})
		rules := ForListeners(cloud.Balancer{Allow: seen.Peers(), Listeners: []cloud.Listener{{Port: 80, Protocol: cloud.ProtocolTCP}}})
		if _, open := rules[web]; !open || len(rules) != 2 {
			t.Errorf("from %s: %v", peer, rules.Sorted())
		}
	}
}

// What EC2 answers with is what is sent to it, whatever the peer; no two kinds of peers are mistaken for each other.
func TestPermissions(t *testing.T) {
	network := packetfilter.Network("10.0.0.0/8")
	ports := func(protocol cloud.Protocol, from, to int) packetfilter.Rule {
		return packetfilter.Rule{PortRange: cloud.PortRange{Protocol: protocol, From: from, To: to}, Peer: network}
	}
	for text, test := range map[string]struct {
		rule packetfilter.Rule
		sent string
	}{
		"tcp/80 from 10.0.0.0/8":        {packetfilter.Port(cloud.ProtocolTCP, 80, network), "tcp 80-80"},
		"tcp/80 from 2001:db8::/32":     {packetfilter.Port(cloud.ProtocolTCP, 80, packetfilter.Network("2001:DB8::/32")), "tcp 80-80"},
		"udp/1-9 from 10.0.0.0/8":       {ports(cloud.ProtocolUDP, 1, 9), "udp 1-9"},
		"icmpv6/2-0 from 2001:db8::/32": {packetfilter.Fragmentation(packetfilter.Network("2001:db8::/32")), "icmpv6 2-0"},
		"icmp from 10.0.0.0/8":          {ports(cloud.ProtocolICMP, -1, -1), "icmp -1--1"},
		"sctp/9 from 10.0.0.0/8":        {packetfilter.Port(cloud.ProtocolSCTP, 9, network), "132 9-9"},
		"50/0 from 10.0.0.0/8":          {ports("50", 0, 0), "50 0-0"},
		"all from sg-1":                 {packetfilter.All(packetfilter.Peer{Group: "sg-1"}), "-1 none"},
		"all from pl-1":                 {packetfilter.All(packetfilter.Peer{List: "pl-1"}), "-1 none"},
	} {
		p := Permission(test.rule, "words")
		sent := *p.IpProtocol + " none"
		if p.FromPort != nil && p.ToPort != nil {
			sent = fmt.Sprintf("%s %d-%d", *p.IpProtocol, *p.FromPort, *p.ToPort)
		}
		got := Ingress(ec2types.SecurityGroup{IpPermissions: []ec2types.IpPermission{p}})
		if want := (packetfilter.Rules{test.rule: {Description: "words"}}); sent != test.sent || !maps.Equal(got, want) || test.rule.String() != text {
			t.Errorf("%s: sent %s, %+v, seen %v", text, sent, p, got)
		}
	}
	for text, p := range map[string]ec2types.IpPermission{
		"icmp/3-any from 10.0.0.0/8": {IpProtocol: new("1"), FromPort: new(int32(3)), ToPort: new(int32(-1)), IpRanges: []ec2types.IpRange{{CidrIp: new("10.1.2.3/8")}}},
		"/0 from sg-1":               {UserIdGroupPairs: []ec2types.UserIdGroupPair{{GroupId: new("sg-1")}}},
	} {
		if got := Ingress(ec2types.SecurityGroup{IpPermissions: []ec2types.IpPermission{p}}).Sorted(); len(got) != 1 || got[0].String() != text {
			t.Errorf("%s: seen %v", text, got)
		}
	}
}
