package digitalocean

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	s, err := d.shapeOf(spec)
	problems := []error{err}
	list, err := listeners(spec, s.kind)
	problems = append(problems, err)
	check, err := health(spec)
	problems = append(problems, err)
	problems = append(problems, checkExtras(s.kind, spec.Options)...)
	if err := errors.Join(problems...); err != nil {
		return cloud.Balancer{}, notes(spec, s.kind), err
	}
	b := cloud.Balancer{
		Name:           nameOf(spec),
		Scope:          cloud.ScopeOf(s.internal),
		DualStack:      s.dual,
		Listeners:      list,
		Health:         check,
		Allow:          allowed(spec),
		Deny:           keyDeny.List(spec.Options),
		ProviderFields: d.wantedProviderFields(s.kind, spec),
		OwnershipTags:  d.marks(spec.Ref.Owner),
	}
	return b, notes(spec, s.kind), nil
}

// nameOf returns the name that the balancer shall have.
func nameOf(spec cloud.Spec) string {
	name := cmp.Or(keyName.In(spec.Options), legacyName(spec.Ref.Owner.UID))
	if spec.Beside == nil {
		return name
	}
	return name[:min(len(name), maxName-len(besideSuffix))] + besideSuffix
}

// allowed returns the allow rules: the Service's source ranges, else the annotation.
func allowed(spec cloud.Spec) []string {
	if len(spec.SourceRanges) == 0 {
		return keyAllow.List(spec.Options)
	}
	var rules []string
	for _, prefix := range spec.SourceRanges {
		rules = append(rules, cidrRule(prefix))
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// legacyName is the name upstream gives a balancer: "a" and the Service's UID without
// dashes, cut to 32 characters.
func legacyName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), 32)]
}

// idleBecause says why a key that was given has no effect, "" when it has one.
func idleBecause(key annotation.Key, options map[string]string, kind string) string {
	switch {
	case !key.Has(options) || key.In(options) == key.Default:
		return ""
	case key.Applies == regionalOnly && kind == typeNetwork:
		return "it has no effect on a REGIONAL_NETWORK balancer, which passes packets through; only a new balancer can be REGIONAL (" + keyType.Name + ")"
	case key.Applies == overrideOnly && !keyHealthOverride.Has(options):
		return "it has no effect without " + keyHealthOverride.Name
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
	if kind == typeRegional {
		list = append(list, unknownPorts(spec)...)
	}
	if len(spec.SourceRanges) > 0 && keyAllow.In(spec.Options) != "" {
		note(keyAllow.Name, "it is ignored, because spec.loadBalancerSourceRanges is set")
	}
	if spec.LoadBalancerIP != "" {
		note("spec.loadBalancerIP", "it is ignored; use "+keyIP.Name+" for an address of your own")
	}
	if algorithm := keyAlgorithm.In(spec.Options); kind == typeRegional && algorithm != keyAlgorithm.Default {
		note(keyAlgorithm.Name, "DigitalOcean ignores the algorithm")
	}
	return list
}
