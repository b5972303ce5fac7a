// Package request reads what a Service asks for.
package request

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Request is what a Service asks for, read once.
type Request struct {
	Service *corev1.Service
	Values  annotation.Values
	// Input has no candidates, findings or preserved fields yet.
	Input cloud.Input
	// Selector is nil when the one on the Service is not valid.
	Selector labels.Selector
	// IDAnnotation is the Descriptor's, and Recorded the id in it.
	IDAnnotation, Recorded string
	// Creation is the load balancer that was last asked for, nil when none is recorded.
	Creation *creation.Record
	// Adopt is the id to take over even from another owner.
	Adopt string
	// Named are the ids that the Service's annotations name.
	Named []string
	// OtherController says that the Service belongs to another controller, and Disowned that its balancer is to be left alone.
	OtherController, Disowned bool
	// Leaving says that the Service gives its balancer up, see IsDeleting.
	Leaving bool
	// Retain says that the balancer outlives the Service.
	Retain bool
	// Replacing is the replacement that has begun, nil when there is none. Until it has ended a
	// second balancer with our UID is no duplicate: conclude deletes the one that does not serve.
	Replacing *replacement.Record
	// Begun says that this request has replaced a balancer already, or tried to.
	Begun bool
	// Fingerprint is the same for as long as the user asks for the same.
	Fingerprint string
	// Problems make it impossible to serve the Service as asked.
	Problems []problem.Warning
	// Warnings are wrong too, but the Service is served in spite of them.
	Warnings []problem.Warning
	// spellings are the aliases the Service uses, by the name of the key.
	spellings map[string]string
	// configured are the keys whose values the configuration gives, and not the Service.
	configured map[string]bool
}

// Cluster is the cluster of a Service.
type Cluster struct {
	ID string
	// Former are ids that it had before.
	Former cloud.FormerClusters
}

// Read returns what the Service asks for. It is pure and finds all problems at once.
func Read(svc *corev1.Service, c *run.Cloud, cluster Cluster) Request {
	values, found := c.Annotations.Parse(svc.Annotations)
	configured := map[string]bool{}
	for key, value := range c.Defaults {
		if _, given := values[key]; !given {
			values[key], configured[key] = value, true
		}
	}
	r := Request{Service: svc, Values: values, IDAnnotation: c.Descriptor.IDAnnotation, spellings: spellings(svc, c.Annotations), configured: configured}
	if where, _, idle := annotation.SourceRangesOf(svc.Spec.LoadBalancerSourceRanges, svc.Annotations); idle {
		found = append(found, annotation.Problem{Key: annotation.SourceRanges.Name, Warning: true, Idle: where + " is there, which wins"})
	}
	r.Problems, r.Warnings = problem.OfAnnotations(found)
	r.Recorded = recordedID(svc, values, c)
	r.Adopt = annotation.Adopt.In(values)
	r.Retain = annotation.Retain.Bool(values)
	r.OtherController, r.Disowned, r.Leaving = c.Annotations.HandOver(values), annotation.Disown.Bool(values), IsDeleting(svc)
	r.readSelector()

	ranges, problems := sourceRanges(svc)
	r.Input = cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{
				Cluster: cluster.ID, Namespace: svc.Namespace, Name: svc.Name,
				UID: string(svc.UID), Cloud: c.Name, Former: cluster.Former,
			},
			Ports:          ports(svc),
			SourceRanges:   ranges,
			Local:          svc.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal,
			HealthPort:     healthPort(svc),
			DualStack:      len(svc.Spec.IPFamilies) > 1,
			IPv6:           len(svc.Spec.IPFamilies) > 0 && svc.Spec.IPFamilies[0] == corev1.IPv6Protocol,
			ClientIP:       svc.Spec.SessionAffinity == corev1.ServiceAffinityClientIP,
			LoadBalancerIP: svc.Spec.LoadBalancerIP,
			Options:        values,
		},
		Known: cloud.Known{
			ID: r.Recorded,
		},
	}
	r.Problems = append(r.Problems, problems...)
	r.readFields(c.Descriptor.Capabilities)
	r.Fingerprint = fingerprintOf(r.Input, c)
	r.Replacing, r.Creation = replacement.Of(svc), recordedCreation(svc, c)
	r.Begun = r.Replacing != nil && r.Replacing.Request == r.Fingerprint
	r.readAdoption(c)
	r.Named = named(r.Recorded, r.Adopt)
	return r
}

// spellings returns the alias that the Service uses in the place of a key's name. It wins over that.
func spellings(svc *corev1.Service, set annotation.Set) map[string]string {
	used := map[string]string{}
	for _, key := range set {
		for _, spelling := range key.Aliases {
			if _, ok := svc.Annotations[spelling]; ok && used[key.Name] == "" {
				used[key.Name] = spelling
			}
		}
	}
	return used
}

// written returns the field as the Service spells it, so that its user finds it there. Drivers
// know only the first name of a key.
func (r *Request) written(field string) string { return cmp.Or(r.spellings[field], field) }

// recordedID returns the balancer id that is recorded on the Service.
func recordedID(svc *corev1.Service, values annotation.Values, c *run.Cloud) string {
	name := c.Descriptor.IDAnnotation
	declared := slices.ContainsFunc(c.Annotations, func(k annotation.Key) bool { return k.Name == name })
	if declared {
		return values[name]
	}
	return strings.TrimSpace(svc.Annotations[name])
}

// recordedCreation returns the creation that is recorded on the Service, nil when none is. Its id is dropped where it cannot be one
// of this cloud, and where the cloud has no annotation for an id, so that no creation is recorded with one: it gets into requests and
// events.
func recordedCreation(svc *corev1.Service, c *run.Cloud) *creation.Record {
	made := creation.Of(svc)
	at := slices.IndexFunc(c.Annotations, func(k annotation.Key) bool { return k.Name == c.Descriptor.IDAnnotation })
	switch {
	case made == nil:
		return nil
	case at < 0 || c.Annotations[at].Check == nil:
		made.ID = ""
	default:
		if id, ok := c.Annotations[at].Check(made.ID); !ok || id != made.ID {
			made.ID = ""
		}
	}
	return made
}

func (r *Request) readSelector() {
	text := annotation.NodeSelector.In(r.Values)
	selector, err := labels.Parse(text)
	if err != nil {
		r.Problems = append(r.Problems, problem.Invalid(annotation.NodeSelector.Name, text, "want "+annotation.NodeSelector.Want))
		return
	}
	r.Selector = selector
}

// readAdoption decides which id to look for. What cannot be an id of this cloud is refused, and
// counts as no id where the Service goes.
//
//	recorded  adopt  id        because
//	-         -      none      found by tag or name
//	a         -      a
//	-         b      b
//	a         a      a
//	a         b      a         b is refused: a would be left behind and paid for
func (r *Request) readAdoption(c *run.Cloud) {
	idAnnotation := c.Descriptor.IDAnnotation
	at := slices.IndexFunc(c.Annotations, func(k annotation.Key) bool { return k.Name == idAnnotation })
	if r.Adopt != "" && at >= 0 && c.Annotations[at].Check != nil {
		id, ok := c.Annotations[at].Check(r.Adopt)
		if !ok {
			r.Problems = append(r.Problems, problem.Invalid(annotation.Adopt.Name, r.Adopt, "want "+c.Annotations[at].Want))
			id = ""
		}
		r.Adopt = id
	}
	switch {
	case r.Adopt == "" || r.Adopt == r.Recorded:
	case r.Recorded == "":
		r.Input.ID = r.Adopt
	default:
		r.Problems = append(r.Problems, problem.Invalid(annotation.Adopt.Name, r.Adopt,
			"the Service has balancer "+r.Recorded+" already; remove "+idAnnotation+" to leave that one behind"))
	}
}

// Untouched reports whether the balancer is neither to be made nor changed.
func (r *Request) Untouched() bool { return r.Disowned || r.OtherController }

// Present returns the status the Service has now.
func (r *Request) Present() *corev1.LoadBalancerStatus {
	return r.Service.Status.LoadBalancer.DeepCopy()
}

// Respell names annotations in problems as the Service does, and says of a value that the Service does not have where it comes from.
func (r *Request) Respell(problems []problem.Warning) []problem.Warning {
	for i, p := range problems {
		if wrong, ok := errors.AsType[*cloud.Invalid](p.Err); ok {
			problems[i] = problem.Of(p.Reason, &cloud.Invalid{Field: r.written(wrong.Field), Value: wrong.Value, Want: wrong.Want + r.origin(wrong.Field)})
		}
	}
	return problems
}

// RespellWarnings is Respell for notes.
func (r *Request) RespellWarnings(notes []cloud.Warning) []cloud.Warning {
	notes = slices.Clone(notes)
	for i, note := range notes {
		notes[i].Field, notes[i].Message = r.written(note.Field), note.Message+r.origin(note.Field)
	}
	return notes
}

// origin says that the value of a field is the configuration's, "" where it is the Service's.
func (r *Request) origin(field string) string {
	if !r.configured[field] {
		return ""
	}
	return "; the value is a default in the configuration of the controller manager"
}

// fingerprintOf is the fingerprint of what the user asks for: without ids and annotations that
// we write ourselves.
func fingerprintOf(in cloud.Input, c *run.Cloud) string {
	in.ID = ""
	in.Options = maps.Clone(in.Options)
	for _, key := range c.Annotations {
		if key.Output || key.Name == c.Descriptor.IDAnnotation {
			delete(in.Options, key.Name)
		}
	}
	return difference.Fingerprint(written{in.Spec, environment{Candidates: in.Candidates}, in.Known})
}

// written is an Input as its fingerprint takes it, with fields that it had once: a replacement that an earlier version began has that fingerprint on
// its Service.
type written struct {
	cloud.Spec
	environment
	cloud.Known
}

// environment has what nobody knows when the request is read, as it was written: Lookups and BulkList are always empty.
type environment struct {
	Candidates []cloud.Target
	Lookups    map[string]string
	BulkList   any
}

// named returns the ids that there are.
func named(ids ...string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// IsDeleting reports whether the Service gives its balancer up: the framework asks whether there is one
// before it has it deleted.
func IsDeleting(svc *corev1.Service) bool {
	return svc.DeletionTimestamp != nil || svc.Spec.Type != corev1.ServiceTypeLoadBalancer || svc.Spec.LoadBalancerClass != nil
}

// WithBalancer counts the Services that want a balancer of a controller manager, or have one to give up.
func WithBalancer(services []*corev1.Service) (n int) {
	for _, svc := range services {
		if svc.Spec.Type == corev1.ServiceTypeLoadBalancer && svc.Spec.LoadBalancerClass == nil {
			n++
		}
	}
	return n
}

// SetDeleting says that the Service gives its balancer up. What it never took over is not its to delete.
func (r *Request) SetDeleting() {
	r.Input.Deleting, r.Input.Retained, r.Adopt, r.Input.ID = true, r.Retain, "", r.Recorded
	r.Named = named(r.Recorded)
}

// LeftAlone says where the Service belongs to another controller.
func (r *Request) LeftAlone() []problem.Warning {
	if !r.OtherController {
		return nil
	}
	return []problem.Warning{problem.Warn(event.ConfigurationIgnored, "the Service is left to another controller, as its annotations say")}
}

// Missing returns which of the annotations the Service does not have, nil when it has all. The map is the caller's no more.
func Missing(svc *corev1.Service, wanted map[string]string) map[string]string {
	maps.DeleteFunc(wanted, func(key, value string) bool {
		present, ok := svc.Annotations[key]
		return ok && present == value
	})
	if len(wanted) == 0 {
		return nil
	}
	return wanted
}
