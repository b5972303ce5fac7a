package desired

import (
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Rules say what a Service asks for.
type Rules struct {
	// DefaultType is that of a new balancer whose Service names none, and VPC its network, "" for the default one.
	DefaultType, VPC string
	// Region is that of new balancers.
	Region string
	Tags   owner.Tags
}

// Normalize implements cloud.Balancers.
func (r Rules) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	s, err := r.ShapeOf(in)
	problems := []error{err}
	list, err := Listeners(in, s.Kind)
	problems = append(problems, err)
	check, err := Health(in.Spec)
	problems = append(problems, err)
	problems = append(problems, checkSizes(in.Options), checkCookies(s.Kind, in.Options))
	if err := errors.Join(problems...); err != nil {
		return cloud.Balancer{}, notes(in.Spec, s.Kind), err
	}
	b := cloud.Balancer{
		Name:           nameOf(in),
		Scope:          cloud.ScopeOf(s.Internal),
		DualStack:      s.Dual,
		Listeners:      list,
		Health:         check,
		Allow:          allowed(in.Spec),
		Deny:           option.Deny.List(in.Options),
		ProviderFields: r.Managed(s.Kind, in.Spec).Fields,
		OwnershipTags:  r.Tags.Of(in.Owner),
	}
	b.Preserve(in.Preserved)
	return b, notes(in.Spec, s.Kind), nil
}

// Validate implements cloud.Validator. A balancer that is there has its type already, on which the protocols of ports depend.
// Whether there is a certificate of a name, only a reading tells.
func (r Rules) Validate(spec cloud.Spec, exists bool) error {
	if !exists {
		_, name := Certificate(spec.Options)
		_, _, err := r.Normalize(cloud.Input{Spec: spec, Environment: cloud.Environment{Findings: Found.Seal(Findings{Certificate: name})}})
		return err
	}
	_, err := Health(spec)
	_, ports := checked(networkListeners(spec.Ports)) // those of the other kind are on the same ports
	return errors.Join(err, ports, checkSizes(spec.Options), checkStack(spec.Options))
}

// Health returns the check of the balancer: GET /healthz of each node's kube-proxy, which
// is never behind a PROXY header, or with override-health-check a port of the Service.
func Health(spec cloud.Spec) (*cloud.Health, error) {
	h := &cloud.Health{
		Protocol:       cloud.ProtocolHTTP,
		Port:           spec.HealthPort,
		Path:           "/healthz",
		Interval:       option.HealthInterval.Duration(spec.Options),
		Timeout:        option.HealthTimeout.Duration(spec.Options),
		Healthy:        option.HealthHealthy.Int(spec.Options),
		Unhealthy:      option.HealthUnhealthy.Int(spec.Options),
		ProviderFields: map[string]string{object.FieldHealthProxy: "false"},
	}
	if !option.HealthOverride.Has(spec.Options) {
		return h, nil
	}
	own, err := annotation.OwnCheck(spec)
	if own == nil && err == nil {
		own, err = annotation.ServiceCheck(spec, option.HealthOverride.Name)
	}
	if err != nil {
		return nil, err
	}
	h.Protocol, h.Port, h.Path, h.ProviderFields = own.Protocol, own.Port, own.Path, nil
	return h, nil
}

// BesideSuffix ends the name of a balancer that is made beside another one, until that is gone:
// two of one name would be hard to tell apart.
const BesideSuffix = "-next"

// nameOf returns the name that the balancer shall have.
func nameOf(in cloud.Input) string {
	name := Names(in.Spec)[0]
	if in.Beside == nil {
		return name
	}
	return name[:min(len(name), identifier.MaxName-len(BesideSuffix))] + BesideSuffix
}

// allowed returns the allow rules: the Service's source ranges, else the annotation.
func allowed(spec cloud.Spec) []string {
	if len(spec.SourceRanges) == 0 {
		return option.Allow.List(spec.Options)
	}
	var rules []string
	for _, prefix := range spec.SourceRanges {
		rules = append(rules, option.NetworkRule(prefix))
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// checkSizes refuses two sizes.
func checkSizes(options map[string]string) error {
	if slug := option.SizeSlug.In(options); slug != "" && option.Size.Int(options) > 0 {
		return &cloud.Invalid{Field: option.SizeSlug.Name, Value: slug, Want: "want either it or " + option.Size.Name}
	}
	return nil
}

// checkCookies refuses sessions without what their cookies need.
func checkCookies(kind string, options map[string]string) error {
	var problems []error
	if kind == config.TypeRegional && option.Sticky.In(options) == option.StickyCookies {
		for _, key := range []annotation.Key{option.CookieName, option.CookieTTL} {
			if key.In(options) == "" {
				problems = append(problems, &cloud.Invalid{Field: key.Name, Value: "", Want: "want a value, because sticky-sessions-type is cookies"})
			}
		}
	}
	return errors.Join(problems...)
}

// idleBecause says why a key that was given has no effect, "" when it has one.
func idleBecause(key annotation.Key, options map[string]string, kind string) string {
	switch {
	case !key.Has(options) || key.In(options) == key.Default:
		return ""
	case key.Applies == option.RegionalOnly && kind == config.TypeNetwork:
		return "it has no effect on a REGIONAL_NETWORK balancer, which passes packets through; only a new balancer can be REGIONAL (" + option.Type.Name + ")"
	case key.Enables.Key == option.HealthOverride.Name && !option.HealthOverride.Has(options):
		return "it has no effect without " + option.HealthOverride.Name
	default:
		return ""
	}
}

// notes remarks on everything the Service asks for that has no effect.
func notes(spec cloud.Spec, kind string) []cloud.Warning {
	var list []cloud.Warning
	note := func(field, message string) { list = append(list, cloud.Warning{Field: field, Message: message}) }
	for _, key := range Annotations() {
		if idle := idleBecause(key, spec.Options, kind); idle != "" {
			note(key.Name, idle)
		}
	}
	if kind == config.TypeRegional {
		list = append(list, annotation.UnknownPorts(spec, option.HTTPPorts, option.TLSPorts, option.HTTP2Ports, option.HTTP3Port)...)
	}
	if len(spec.SourceRanges) > 0 && option.Allow.In(spec.Options) != "" {
		note(option.Allow.Name, "it is ignored, because spec.loadBalancerSourceRanges is set")
	}
	if algorithm := option.Algorithm.In(spec.Options); kind == config.TypeRegional && algorithm != option.Algorithm.Default {
		note(option.Algorithm.Name, "DigitalOcean ignores the algorithm")
	}
	return list
}
