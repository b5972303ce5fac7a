package loadbalancer

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// request is what a Service asks for, read once.
type request struct {
	service *corev1.Service
	values  annotation.Values
	// spec has no candidates, lookups or preserved fields yet.
	spec cloud.Spec
	// selector is nil when the one on the Service is not valid.
	selector labels.Selector
	// recorded is the id in the Descriptor's IDAnnotation.
	recorded string
	// adopt is the id to take over even from another owner.
	adopt string
	// otherController says that the Service belongs to another controller.
	otherController bool
	// retain says that the balancer outlives the Service.
	retain bool
	// replacing is the replacement that has begun, nil when there is none. Until it has ended a
	// second balancer with our UID is no duplicate: conclude deletes the one that does not serve.
	replacing *replacement
	// fingerprint is the same for as long as the user asks for the same.
	fingerprint string
	// problems make it impossible to serve the Service as asked.
	problems []problem
	// warnings are wrong too, but the Service is served in spite of them.
	warnings []warning
	// spellings are the aliases the Service uses, by the name of the key.
	spellings map[string]string
}

// read returns what the Service asks for. It is pure and finds all problems at once.
func read(svc *corev1.Service, c *run.Cloud, clusterID string) request {
	values, found := c.Annotations.Parse(svc.Annotations)
	for key, value := range c.Defaults {
		if _, given := values[key]; !given {
			values[key] = value
		}
	}
	r := request{service: svc, values: values, spellings: spellings(svc, c.Annotations)}
	r.problems, r.warnings = ofAnnotations(found)
	r.recorded = recordedID(svc, values, c)
	r.adopt = annotation.Adopt.In(values)
	r.retain = retained(values, found)
	r.otherController = otherController(values, c.Annotations)
	r.readSelector()

	ranges, problems := sourceRanges(svc)
	r.spec = cloud.Spec{
		Ref: cloud.Ref{
			ID: r.recorded,
			Owner: cloud.Owner{
				Cluster: clusterID, Namespace: svc.Namespace, Name: svc.Name,
				UID: string(svc.UID), Cloud: c.Name,
			},
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
	}
	r.fingerprint = contentOf(r.spec, c)
	r.replacing = r.readReplacement()
	r.problems = append(r.problems, problems...)
	r.problems = append(r.problems, beyond(c.Descriptor.Capabilities, r.spec)...)
	r.readAdoption(c)
	return r
}

// spellings returns the alias that the Service uses in the place of a key's name.
func spellings(svc *corev1.Service, set annotation.Set) map[string]string {
	used := map[string]string{}
	for _, key := range set {
		for _, spelling := range key.Aliases {
			if _, ok := svc.Annotations[spelling]; ok && used[key.Name] == "" {
				used[key.Name] = spelling
			}
		}
		if _, ok := svc.Annotations[key.Name]; ok {
			delete(used, key.Name)
		}
	}
	return used
}

// written returns the field as the Service spells it, so that its user finds it there. Drivers
// know only the first name of a key.
func (r *request) written(field string) string { return cmp.Or(r.spellings[field], field) }

// recordedID returns the balancer id that is recorded on the Service.
func recordedID(svc *corev1.Service, values annotation.Values, c *run.Cloud) string {
	name := c.Descriptor.IDAnnotation
	declared := slices.ContainsFunc(c.Annotations, func(k annotation.Key) bool { return k.Name == name })
	if declared {
		return values[name]
	}
	return strings.TrimSpace(svc.Annotations[name])
}

// retained reports whether the balancer outlives the Service. A value that is not valid counts
// as true: a balancer that was kept by mistake can be deleted, not the other way round.
func retained(values annotation.Values, problems []annotation.Problem) bool {
	return annotation.Retain.Bool(values) || slices.ContainsFunc(problems, func(p annotation.Problem) bool {
		return p.Key == annotation.Retain.Name
	})
}

func (r *request) readSelector() {
	text := annotation.NodeSelector.In(r.values)
	selector, err := labels.Parse(text)
	if err != nil {
		r.problems = append(r.problems, invalid(annotation.NodeSelector.Name, text, "want "+annotation.NodeSelector.Want))
		return
	}
	r.selector = selector
}

// readAdoption decides which id to look for. What cannot be an id of this cloud is refused, and
// counts as no id where the Service goes.
//
//	recorded  adopt  id        because
//	-         -      none      found by mark or name
//	a         -      a
//	-         b      b
//	a         a      a
//	a         b      a         b is refused: a would be left behind and paid for
func (r *request) readAdoption(c *run.Cloud) {
	idAnnotation := c.Descriptor.IDAnnotation
	at := slices.IndexFunc(c.Annotations, func(k annotation.Key) bool { return k.Name == idAnnotation })
	if r.adopt != "" && at >= 0 && c.Annotations[at].Check != nil {
		id, ok := c.Annotations[at].Check(r.adopt)
		if !ok {
			r.problems = append(r.problems, invalid(annotation.Adopt.Name, r.adopt, "want "+c.Annotations[at].Want))
			id = ""
		}
		r.adopt = id
	}
	switch {
	case r.adopt == "" || r.adopt == r.recorded:
	case r.recorded == "":
		r.spec.Ref.ID = r.adopt
	default:
		r.problems = append(r.problems, invalid(annotation.Adopt.Name, r.adopt,
			"the Service has balancer "+r.recorded+" already; remove "+idAnnotation+" to leave that one behind"))
	}
}

// disowned reports whether the balancer is to be left alone.
func (r *request) disowned() bool { return annotation.Disown.Bool(r.values) }

// otherController reports whether the Service belongs to another controller.
func otherController(values annotation.Values, set annotation.Set) bool {
	return slices.ContainsFunc(set, func(k annotation.Key) bool { return slices.Contains(k.OtherController, values[k.Name]) })
}

// untouched reports whether the balancer is neither to be made nor changed.
func (r *request) untouched() bool { return r.disowned() || r.otherController }

// present returns the status the Service has now.
func (r *request) present() *corev1.LoadBalancerStatus {
	return r.service.Status.LoadBalancer.DeepCopy()
}
