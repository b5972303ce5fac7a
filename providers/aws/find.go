package aws

import (
	"context"
	"regexp"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// find looks for the balancer: by id, by name, and by mark last, which takes a list of all:
//
//	looked for by       kinds                    proves by itself
//	Ref.ID              the one the id is of     yes
//	the wanted name     the wanted, the other    no
//	the default name    the wanted, the other    no
//	the UID in a mark   both                     no
//
// One that only has the name, and belongs to somebody else, is the answer when there is no other.
func (d *Driver) find(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) (byName bool, err error) {
	if id := spec.Ref.ID; d.isBalancerID(id) {
		if found, err := d.findKind(ctx, s, v, kindOf(id), id); found || err != nil {
			return false, err
		}
	}
	var foreign *snapshot
	first := wantedKind(spec)
	names := slices.Compact([]string{wantedName(spec), names.Default(spec.Ref.Owner.UID)})
	for _, kind := range []string{first, otherKind(first)} {
		for _, name := range names {
			found, err := d.findKind(ctx, s, v, kind, name)
			if err != nil || found && d.mayBeOurs(s, spec.Ref.Owner) {
				return true, err
			}
			if found && foreign == nil {
				foreign = &snapshot{classic: s.classic, network: s.network}
			}
			s.classic, s.network = nil, nil
		}
	}
	if err := d.findMark(ctx, s, v, spec); err != nil {
		return true, err
	}
	if s.classic == nil && s.network == nil && foreign != nil {
		s.classic, s.network = foreign.classic, foreign.network
	}
	return true, nil
}

// mayBeOurs reports whether the marks of what was found by its name say nothing else.
func (d *Driver) mayBeOurs(s *snapshot, us cloud.Owner) bool {
	var tags map[string]string
	if s.classic != nil {
		tags = s.classic.tags
	} else {
		tags = s.network.tags
	}
	owner := d.config.Cluster.Owner(s.present(), tags, us)
	if owner.UID != "" {
		return owner.UID == us.UID
	}
	return owner.Cluster == us.Cluster && (owner.Name == "" || owner.String() == us.String())
}

// isBalancerID reports whether the text can be the name of a classic balancer, or the ARN of a network
// one of the region. AWS refuses to read what can't, which would be taken for a failure.
func (d *Driver) isBalancerID(id string) bool {
	if kindOf(id) == kindClassic {
		return len(id) <= names.Max && option.BalancerNames.MatchString(id)
	}
	a, err := arn.Parse(id)
	return err == nil && a.Service == balancerService && a.Region == d.config.Region && networkResource.MatchString(a.Resource)
}

// balancerService is the service in the ARNs of balancers.
const balancerService = "elasticloadbalancing"

// networkResource is a load balancer of any type but classic: of which is seen when it is read.
var networkResource = regexp.MustCompile(`^loadbalancer/[a-z]+/[0-9A-Za-z-]{1,32}/[0-9A-Za-z]+$`)

// kindOf returns the kind of balancer that an id is of: network ones have ARNs.
func kindOf(id string) string {
	if strings.HasPrefix(id, "arn:") {
		return kindNetwork
	}
	return kindClassic
}

func otherKind(kind string) string {
	if kind == kindClassic {
		return kindNetwork
	}
	return kindClassic
}

func (d *Driver) findKind(ctx context.Context, s *snapshot, v *bulkList, kind, id string) (found bool, err error) {
	switch {
	case kind == kindClassic && v == nil:
		s.classic, err = d.findClassic(ctx, id)
	case kind == kindClassic:
		s.classic = pick(v.classic, func(lb *classicBalancer) bool { return awssdk.ToString(lb.LoadBalancerName) == id })
	case v == nil:
		s.network, err = d.findNetwork(ctx, id)
	default:
		s.network = pick(v.network, func(lb *networkBalancer) bool {
			return awssdk.ToString(lb.LoadBalancerName) == id || awssdk.ToString(lb.LoadBalancerArn) == id
		})
	}
	return s.classic != nil || s.network != nil, err
}

// findMark looks for a balancer whose tags have the Service's UID: its name was chosen, and is
// another one now.
func (d *Driver) findMark(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) error {
	if v == nil {
		var err error
		v = &bulkList{}
		if v.classic, err = d.listClassic(ctx); err != nil {
			return err
		}
		if v.network, err = d.listNetwork(ctx); err != nil {
			return err
		}
	}
	s.alive = map[string]bool{}
	for _, lb := range v.network {
		s.alive[awssdk.ToString(lb.LoadBalancerArn)] = true
	}
	uid := spec.Ref.Owner.UID
	marked := func(tags map[string]string) bool { return uid != "" && tag.Marks.Owner(tags).UID == uid }
	if s.classic = pick(v.classic, func(lb *classicBalancer) bool { return marked(lb.tags) }); s.classic == nil {
		s.network = pick(v.network, func(lb *networkBalancer) bool { return marked(lb.tags) })
	}
	return nil
}

// pick returns a copy of the first item that fits, nil when none does.
func pick[T any](list []T, fits func(*T) bool) *T {
	for i := range list {
		if fits(&list[i]) {
			found := list[i]
			return &found
		}
	}
	return nil
}
