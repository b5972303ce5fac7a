package nlb

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// What AWS answers to the deletion of a balancer: that it is not there proves nothing.
func TestAnswersToADeletion(t *testing.T) {
	code := func(code string) error { return &smithy.GenericAPIError{Code: code} }
	n := &Balancers{Client: (&recorder{err: code("LoadBalancerNotFound")}).client()}
	if _, waits := errors.AsType[*cloud.Waiting](n.remove(t.Context(), cloud.Resource{ID: "arn"})); !waits {
		t.Error("a deletion that is answered with not found does not wait for a list")
	}
	n.Client = (&recorder{err: code("OperationNotPermitted")}).client()
	if _, invalid := errors.AsType[*cloud.Invalid](n.remove(t.Context(), cloud.Resource{ID: "arn"})); !invalid {
		t.Error("it is not said that the balancer is protected")
	}
	n.Client = (&recorder{}).client()
	if err := n.remove(t.Context(), cloud.Resource{ID: "arn"}); err != nil {
		t.Error(err)
	}
}

// What is known to be protected is not deleted, nor what belongs to it.
func TestProtected(t *testing.T) {
	for protection, want := range map[string]bool{"true": true, "false": false, "": false} {
		s := &Snapshot{Balancer: &Balancer{attributes: map[string]string{attributeProtection.Name(): protection}}}
		if err := s.Protected(); (err != nil) != want {
			t.Errorf("protection %q: %v", protection, err)
		}
	}
	if err := (&Snapshot{}).Protected(); err != nil {
		t.Errorf("no balancer: %v", err)
	}
}

// A rule that was made for another balancer may be left to this one by the deletion of that one.
func TestSharedRule(t *testing.T) {
	g := groupOf("k8s-a", 30080)
	for name, test := range map[string]struct {
		port        int
		description string
		shares      bool
	}{
		"its own":              {30080, ruleHealth + "mine", false},
		"another's, this port": {30080, ruleHealth + "other", true},
		"another's, one more":  {30081, ruleHealth + "other", false},
		"clients of another":   {30080, ruleClient + "other", false},
	} {
		rule := secgroup.Permission(packetfilter.Port(cloud.ProtocolTCP, test.port, packetfilter.Network("10.0.0.0/24")), test.description)
		s := &Snapshot{
			Name: "mine", Balancer: &Balancer{groups: []targetgroup.Group{g}},
			Inventory: &vpc.Inventory{Groups: vpc.Groups{"sg-nodes": ec2types.SecurityGroup{GroupId: aws.String("sg-nodes"), IpPermissions: []ec2types.IpPermission{rule}}}},
		}
		if is := (&Balancers{}).Shares(s); is != test.shares {
			t.Errorf("%s: shared %t, want %t", name, is, test.shares)
		}
	}
}

// What other listeners lead to is never deleted; what names only balancers that are gone is.
func TestUnused(t *testing.T) {
	cluster := tag.Cluster{ID: "c"}
	shared, orphan := groupOf("k8s-shared", 30080), groupOf("k8s-orphan", 30081)
	shared.LoadBalancerArns = []string{"b", "c"}
	n := &Balancers{Security: &secgroup.Groups{}, Targets: &targetgroup.Groups{Cluster: cluster}}
	var r cloud.Resources
	n.Remove(&r, &Snapshot{Balancer: &Balancer{groups: []targetgroup.Group{shared}}, Groups: &targetgroup.Set{Unused: []targetgroup.Group{orphan}}}, cloud.Change{}, nil)
	if groups := slices.DeleteFunc(r.Present, func(r cloud.Resource) bool { return r.Kind == kindBalancer }); len(groups) != 1 || groups[0].Key != "k8s-orphan" {
		t.Errorf("%+v", groups)
	}
}
