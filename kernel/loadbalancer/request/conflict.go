package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// NotYours refuses an id. It says the same of a balancer that is somebody else's as of one that
// does not exist: ids can be guessed.
func (r *Request) NotYours(id string) problem.Warning {
	field := r.IDAnnotation
	if id == r.Adopt {
		field = annotation.Adopt.Name
	}
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{
		Field: field, Value: id,
		Want: "there is no load balancer with this id that the Service may use; remove the annotation, or ask an operator to allow it",
	})
}

// OtherCluster refuses a balancer with the Service's UID in its ownership tags, and another cluster. Nobody can guess a UID, so nothing is
// given away.
func (r *Request) OtherCluster(id, cluster string) problem.Warning {
	field, another := r.IDAnnotation, "remove the annotation"
	if !slices.Contains(r.Named, id) {
		field, another = r.nameField(), "choose another name with "+annotation.Name.Name
	} else if id == r.Adopt {
		field = annotation.Adopt.Name
	}
	names := fmt.Sprintf("the ownership tags of this load balancer name this Service in cluster %q; ", cluster)
	want := fmt.Sprintf("where that is a former id of this cluster, start with --former-cluster-ids=%s; where this cluster was restored from a backup of that one, %s", cluster, another)
	if r.Input.Deleting {
		want = fmt.Sprintf("this Service goes, and the load balancer stays in the cloud; where that is a former id of this cluster, delete it by hand: doctor finds it with --former-cluster-ids=%s", cluster)
	}
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{Field: field, Value: id, Want: names + want})
}

// NameTaken refuses a name that somebody else's balancer has, where names are unique.
func (r *Request) NameTaken(name string) problem.Warning {
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{
		Field: r.nameField(), Value: name,
		Want: "a load balancer that the Service may not use has this name; choose another one with " + annotation.Name.Name + ", or ask an operator to allow it",
	})
}

// nameField says what gives the balancer its name.
func (r *Request) nameField() string {
	if annotation.Name.Has(r.Values) && !r.configured[annotation.Name.Name] {
		return r.written(annotation.Name.Name)
	}
	return "the default name of the load balancer"
}

// Ambiguous refuses balancers that nothing but a name leads to.
func (r *Request) Ambiguous(name string, ids ...string) problem.Warning {
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{
		Field: cmp.Or(r.IDAnnotation, annotation.Adopt.Name),
		Want:  fmt.Sprintf("load balancers %s have the name %q, and nothing else says which of them is this Service's; set the annotation to the id of the one that is", strings.Join(ids, " and "), name),
	})
}
