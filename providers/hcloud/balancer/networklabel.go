package balancer

import (
	"context"
	"net/http"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// The label of the network says that the load balancer was attached to it by us, so it comes with that, or after it:
//
//	the load balancer                            has the label  gets it
//	of somebody else, in the network             no             never: it stays in it
//	is made in the network                       no             with the other labels
//	is in the network, and gets ownership tags   no             with these
//	is in the network                            no             by itself
//	is in it                                     of another     by itself
//	is not in it yet                             any            by itself, once it is

// isLabelled reports whether the change leads to a load balancer with the label of the network.
func (b *Balancers) isLabelled(change cloud.Change, s state) bool {
	after := change.After
	if b.Network == 0 || after == nil || len(after.OwnershipTags) == 0 || after.ProviderFields[desired.FieldNetwork] != networkText(b.Network) {
		return false
	}
	theirs := s.own != nil && b.networkOf(s.now()) == b.Network && s.now().Labels[label.Network] == ""
	return !theirs
}

// labelsAtOnce reports whether the label comes with others.
func (b *Balancers) labelsAtOnce(change cloud.Change, s state) bool {
	switch {
	case !b.isLabelled(change, s) || s.now().Labels[label.Network] != "":
		return false
	case s.lb == nil:
		return !b.wantedNetwork(change, s).Alone
	}
	return b.networkOf(s.lb) == b.Network && !slices.Equal(label.Tags(s.lb.Labels), change.After.OwnershipTags)
}

// networkLabels are the label as it is, "" where there is none, and as it has to be, where it comes by itself. It does not change
// while the network is refused.
func (b *Balancers) networkLabels(change cloud.Change, s state) (present, wanted []cloud.Resource) {
	if !b.isLabelled(change, s) || b.labelsAtOnce(change, s) {
		return nil, nil
	}
	id, labels := networkText(b.Network), label.With(s.now().Labels, change.After.OwnershipTags)
	labels[label.Network] = id
	r := part(kindLabel, "private", fieldLabelled.Is(id), fieldLabels.Is(labels))
	r.Needs = []cloud.IDOf{{Kind: kindNetwork, Key: "private"}}
	return []cloud.Resource{part(kindLabel, "private", fieldLabelled.Is(s.now().Labels[label.Network]))}, []cloud.Resource{r}
}

// updateLabel writes all labels of the load balancer.
func (w writer) updateLabel(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
	answer, err := w.send(ctx, http.MethodPut, "/load_balancers/"+fieldBalancer.Of(wanted).ID, body(wanted, fieldLabels))
	if err == nil && answer.LoadBalancer.ID == 0 {
		return missing("labelling the load balancer")
	}
	return err
}
