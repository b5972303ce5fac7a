// Package desired says what a Service asks for. It makes no request.
package desired

import (
	"cmp"
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// Rules say what a Service asks for. They ask nothing of the cloud.
type Rules struct {
	Settings config.Settings
	Owners   *mark.Owners
}

// Normalize implements cloud.Balancers.
func (r *Rules) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	s, err := r.ShapeOf(spec)
	problems := []error{err}
	list, err := Listeners(spec, s.Kind)
	problems = append(problems, err)
	check, err := Health(spec)
	problems = append(problems, err)
	problems = append(problems, checkExtras(s.Kind, spec.Options)...)
	if err := errors.Join(problems...); err != nil {
		return cloud.Balancer{}, notes(spec, s.Kind), err
	}
	b := cloud.Balancer{
		Name:           nameOf(spec),
		Scope:          cloud.ScopeOf(s.Internal),
		DualStack:      s.Dual,
		Listeners:      list,
		Health:         check,
		Allow:          allowed(spec),
		Deny:           option.KeyDeny.List(spec.Options),
		ProviderFields: r.wantedProviderFields(s.Kind, spec),
		OwnershipTags:  r.Owners.Of(spec.Ref.Owner),
	}
	return b, notes(spec, s.Kind), nil
}

// nameOf returns the name that the balancer shall have.
func nameOf(spec cloud.Spec) string {
	name := cmp.Or(option.KeyName.In(spec.Options), cloud.UIDName(spec.Ref.Owner.UID))
	if spec.Beside == nil {
		return name
	}
	return name[:min(len(name), identifier.MaxName-len(BesideSuffix))] + BesideSuffix
}

// allowed returns the allow rules: the Service's source ranges, else the annotation.
func allowed(spec cloud.Spec) []string {
	if len(spec.SourceRanges) == 0 {
		return option.KeyAllow.List(spec.Options)
	}
	var rules []string
	for _, prefix := range spec.SourceRanges {
		rules = append(rules, option.CIDRRule(prefix))
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// idleBecause says why a key that was given has no effect, "" when it has one.
func idleBecause(key annotation.Key, options map[string]string, kind string) string {
	switch {
	case !key.Has(options) || key.In(options) == key.Default:
		return ""
	case key.Applies == option.RegionalOnly && kind == config.TypeNetwork:
		return "it has no effect on a REGIONAL_NETWORK balancer, which passes packets through; only a new balancer can be REGIONAL (" + option.KeyType.Name + ")"
	case key.Enables.Key == option.KeyHealthOverride.Name && !option.KeyHealthOverride.Has(options):
		return "it has no effect without " + option.KeyHealthOverride.Name
	default:
		return ""
	}
}

// notes remarks on everything the Service asks for that has no effect.
func notes(spec cloud.Spec, kind string) []cloud.Warning {
	var list []cloud.Warning
	note := func(field, message string) { list = append(list, cloud.Warning{Field: field, Message: message}) }
	for _, key := range option.Annotations() {
		if idle := idleBecause(key, spec.Options, kind); idle != "" {
			note(key.Name, idle)
		}
	}
	if kind == config.TypeRegional {
		list = append(list, annotation.UnknownPorts(spec, option.KeyHTTPPorts, option.KeyTLSPorts, option.KeyHTTP2Ports, option.KeyHTTP3Port)...)
	}
	if len(spec.SourceRanges) > 0 && option.KeyAllow.In(spec.Options) != "" {
		note(option.KeyAllow.Name, "it is ignored, because spec.loadBalancerSourceRanges is set")
	}
	if spec.LoadBalancerIP != "" {
		note("spec.loadBalancerIP", "it is ignored; use "+option.KeyIP.Name+" for an address of your own")
	}
	if algorithm := option.KeyAlgorithm.In(spec.Options); kind == config.TypeRegional && algorithm != option.KeyAlgorithm.Default {
		note(option.KeyAlgorithm.Name, "DigitalOcean ignores the algorithm")
	}
	return list
}

// BesideSuffix ends the name of a balancer that is made beside another one, until that is gone:
// two of one name would be hard to tell apart.
const (
	BesideSuffix = "-next"
)
