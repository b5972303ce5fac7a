package secgroup

import (
	"maps"
	"testing"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// The cluster and its Service, another one, an earlier one of the same name, and the Service in a cluster that was restored from the same
// backup.
var (
	cluster  = tag.Cluster{ID: "c", VPC: "vpc-1"}
	us       = cloud.Owner{Cluster: "prod", Namespace: "n", Name: "s", UID: "11111111-2222-3333-4444-555555555555"}
	other    = cloud.Owner{Cluster: "prod", Namespace: "n", Name: "other", UID: "99999999-2222-3333-4444-555555555555"}
	earlier  = cloud.Owner{Cluster: "prod", Namespace: "n", Name: "s", UID: "77777777-2222-3333-4444-555555555555"}
	restored = cloud.Owner{Cluster: "test", Namespace: "n", Name: "s", UID: us.UID}
)

// Values of cluster tags, and tags of several kinds at once.
var (
	owned, shared = map[string]string{"kubernetes.io/cluster/c": "owned"}, map[string]string{"kubernetes.io/cluster/c": "shared"}
	legacy        = map[string]string{"KubernetesCluster": "c"}
	elsewhere     = map[string]string{"kubernetes.io/cluster/d": "owned"}
	alsoUsed      = map[string]string{"kubernetes.io/cluster/d": "shared"}
	controller    = map[string]string{"elbv2.k8s.aws/cluster": "c"}
)

func together(all ...map[string]string) map[string]string {
	tags := map[string]string{}
	for _, some := range all {
		maps.Copy(tags, some)
	}
	return tags
}

func ownershipTags(of cloud.Owner) map[string]string { return tag.OwnershipTags.Of(of) }

// Any Service can want any name, and name any security group. Whose a group is decides which go with a balancer that is given up, whether
// one stands in the way of a new balancer, and which a Service may name.
func TestWhose(t *testing.T) {
	gs := (&recorder{}).groups(cluster)
	chosen := func(by cloud.Owner) Name { return ClassicName("web", by) }
	byUID := func(of cloud.Owner) Name { return ClassicName(cloud.UIDName(of.UID), of) }
	user, backend := Name{Name: "mine", Description: "for my load balancers"}, Name{Name: "k8s-traffic", Description: "[k8s] Shared Backend SecurityGroup for LoadBalancer"}
	present := chosen(us)
	present.Present = true
	for name, test := range map[string]struct {
		group    Name
		tags     map[string]string
		balancer Name // that is present
		want     ownership.Whose
	}{
		"chosen name, this Service's":             {chosen(us), owned, Name{}, ownership.Ours},
		"chosen name, this Service's, old tag":    {chosen(us), legacy, Name{}, ownership.Ours},
		"chosen name, another Service's":          {chosen(other), owned, Name{}, ownership.AnotherService},
		"chosen name, untagged":                   {chosen(us), nil, Name{}, ownership.Nobody},
		"chosen name, untagged, another's":        {chosen(other), nil, Name{}, ownership.AnotherCluster},
		"chosen name, another cluster's":          {chosen(us), elsewhere, Name{}, ownership.AnotherCluster},
		"chosen name, another cluster's old tag":  {chosen(us), map[string]string{"KubernetesCluster": "d"}, Name{}, ownership.AnotherCluster},
		"default name":                            {byUID(us), owned, Name{}, ownership.Ours},
		"default name, untagged":                  {byUID(us), nil, Name{}, ownership.Ours},
		"default name, used by another too":       {byUID(us), together(owned, alsoUsed), Name{}, ownership.Ours},
		"default name, two claim it":              {byUID(us), together(owned, elsewhere), Name{}, ownership.Ours},
		"default name, shared":                    {byUID(us), shared, Name{}, ownership.Nobody},
		"default name, shared by another":         {byUID(us), alsoUsed, Name{}, ownership.Nobody},
		"default name, restored cluster's":        {byUID(us), elsewhere, Name{}, ownership.AnotherCluster},
		"default name, restored one's, shared":    {byUID(us), together(shared, elsewhere), Name{}, ownership.AnotherCluster},
		"another Service's default name":          {byUID(other), owned, Name{}, ownership.AnotherService},
		"a namesake's default name":               {byUID(earlier), owned, Name{}, ownership.Namesake},
		"network":                                 {gs.NetworkName(us), owned, Name{}, ownership.Ours},
		"network, untagged":                       {gs.NetworkName(us), nil, Name{}, ownership.Ours},
		"network, restored cluster's":             {gs.NetworkName(us), elsewhere, Name{}, ownership.AnotherCluster},
		"network, shared":                         {gs.NetworkName(us), shared, Name{}, ownership.Nobody},
		"another Service's network":               {gs.NetworkName(other), owned, Name{}, ownership.AnotherService},
		"the controller's":                        {gs.NetworkName(other), controller, Name{}, ownership.AnotherCluster},
		"the controller's, named like ours":       {gs.NetworkName(us), controller, Name{}, ownership.AnotherCluster},
		"our tags":                                {chosen(other), together(owned, ownershipTags(us)), Name{}, ownership.Ours},
		"our tags, without the cluster's":         {chosen(other), ownershipTags(us), Name{}, ownership.Ours},
		"our tags, another Service's":             {byUID(us), together(owned, ownershipTags(other)), Name{}, ownership.AnotherService},
		"our tags, a namesake's":                  {chosen(us), together(owned, ownershipTags(earlier)), Name{}, ownership.Namesake},
		"our tags, restored cluster's":            {byUID(us), together(owned, ownershipTags(restored)), Name{}, ownership.AnotherCluster},
		"our tags, tag of a restored cluster":     {byUID(us), together(elsewhere, ownershipTags(us)), Name{}, ownership.AnotherCluster},
		"our tags, shared":                        {byUID(us), together(shared, ownershipTags(us)), Name{}, ownership.Nobody},
		"its balancer's":                          {chosen(other), owned, present, ownership.Ours},
		"its balancer's, untagged":                {chosen(other), nil, present, ownership.Ours},
		"its balancer's, our tags of another":     {chosen(other), together(owned, ownershipTags(other)), present, ownership.Ours},
		"its balancer's, another cluster's":       {chosen(other), elsewhere, present, ownership.AnotherCluster},
		"its balancer's, our tags of a cluster":   {chosen(us), together(owned, ownershipTags(restored)), present, ownership.AnotherCluster},
		"its balancer's, shared":                  {chosen(us), shared, present, ownership.Nobody},
		"not its balancer's":                      {byUID(other), owned, present, ownership.AnotherService},
		"a user's":                                {user, nil, Name{}, ownership.Nobody},
		"a user's, the cluster's":                 {user, owned, Name{}, ownership.ThisCluster},
		"a user's, used by the cluster":           {user, shared, Name{}, ownership.ThisCluster},
		"a user's, another cluster's and used":    {user, together(shared, elsewhere), Name{}, ownership.ThisCluster},
		"a user's, another cluster's":             {user, elsewhere, Name{}, ownership.AnotherCluster},
		"a user's, used by another":               {user, alsoUsed, Name{}, ownership.Nobody},
		"a user's, the other id is our own name":  {user, map[string]string{"kubernetes.io/cluster/prod": "owned"}, Name{}, ownership.AnotherCluster},
		"the controller's for all":                {backend, controller, Name{}, ownership.AnotherCluster},
		"the controller's for all, and used here": {backend, together(controller, shared), Name{}, ownership.ThisCluster},
	} {
		group := ec2types.SecurityGroup{GroupId: new("sg-1"), GroupName: &test.group.Name, Description: &test.group.Description, VpcId: &cluster.VPC, Tags: tag.List(test.tags)}
		inv := &vpc.Inventory{Groups: map[string]ec2types.SecurityGroup{"sg-1": group}}
		if got := gs.whose(group, us, test.balancer); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		ours := test.want == ownership.Ours
		if own := gs.Own(inv, us, test.balancer); len(own) == 1 != ours {
			t.Errorf("%s: %d groups go with the balancer", name, len(own))
		}
		may := ours || test.want == ownership.ThisCluster || test.want == ownership.Nobody
		if problem := gs.Problem(inv, []string{"sg-1"}, us, test.balancer); problem == "" != may {
			t.Errorf("%s: the Service may name it: %t", name, !may)
		}
		if _, exists := gs.OfNetwork(inv, us); exists != (ours && test.group == gs.NetworkName(us)) {
			t.Errorf("%s: the network balancer's: %t", name, exists)
		}
		kept := test.group
		kept.Present = test.balancer.Present && test.balancer.fits(group)
		var r cloud.Resources
		own, err := gs.KeepOwn(t.Context(), &r, inv, kept, cloud.Spec{Owner: us}, packetfilter.Rules{})
		if err != nil || (own.Problem == nil) != ours || len(keys(r.Present, KindGroup)) == 1 != ours {
			t.Errorf("%s: kept %v, %v, %v", name, own.Problem, err, keys(r.Present, KindGroup))
		}
	}
}
