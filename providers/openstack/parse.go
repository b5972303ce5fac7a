package openstack

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// legacy says what became of keys and sections that are still found in files, in lower case.
var legacy = map[string]string{
	"[router]":                           "the section is called [Route]",
	"[blockstorage]":                     "it is for the storage driver, nothing here reads it",
	"[loadbalancer] use-octavia":         "there is only Octavia, remove it",
	"[loadbalancer] node-security-group": "it was removed long ago; see manage-security-groups",
}

// parser turns the entries of a file into a config.
type parser struct {
	config   config
	sections []section
	warnings []string
	problems []error
}

// parseConfig reads a file. The error holds everything that is wrong with it; the warnings
// say what has no effect. It is pure.
func parseConfig(content []byte) (config, []string, error) {
	entries, err := scan(content)
	if err != nil {
		return config{}, nil, fmt.Errorf("reading cloud.conf: %w", err)
	}
	p := &parser{config: config{classes: map[string]classConfig{}}}
	p.sections = p.config.sections()
	for _, s := range p.sections {
		for _, k := range s.keys {
			if k.unset != "" {
				k.value.set(k.unset)
			}
		}
	}
	for _, e := range entries {
		p.take(e)
	}
	p.complete()
	return p.config, p.warnings, errors.Join(p.problems...)
}

// take applies one entry.
func (p *parser) take(e entry) {
	if strings.EqualFold(e.section, sectionClass) && e.subsection != "" {
		class := p.config.classes[e.subsection]
		p.apply(e, fmt.Sprintf("[%s %q]", sectionClass, e.subsection), class.keys())
		p.config.classes[e.subsection] = class
		return
	}
	for _, s := range p.sections {
		if strings.EqualFold(s.name, e.section) && e.subsection == "" {
			p.apply(e, "["+s.name+"]", s.keys)
			return
		}
	}
	if e.key != "" {
		return // of a section that was reported with its head
	}
	switch hint := legacy[strings.ToLower("["+e.section+"]")]; {
	case strings.EqualFold(e.section, sectionClass):
		p.warn(e, "["+e.section+"]", `a class needs a name: [LoadBalancerClass "name"]`)
	case e.subsection != "":
		p.warn(e, fmt.Sprintf("[%s %q]", e.section, e.subsection), "there is no such section")
	default:
		p.warn(e, "["+e.section+"]", cmp.Or(hint, "there is no such section"))
	}
}

// apply gives the value of an entry to its key.
func (p *parser) apply(e entry, section string, keys []key) {
	if e.key == "" {
		return
	}
	field := section + " " + e.key
	for _, k := range keys {
		if strings.EqualFold(k.name, e.key) {
			p.set(e, section+" "+k.name, k)
			return
		}
	}
	p.warn(e, field, cmp.Or(legacy[strings.ToLower(field)], "there is no such key in this section"))
}

func (p *parser) set(e entry, field string, k key) {
	want := "want a value after ="
	switch {
	case !e.bare:
		want = k.value.set(e.value)
	case k.value.alone != nil:
		k.value.alone()
		return
	}
	shown := e.value
	if k.value.secret {
		shown = "…"
	}
	switch {
	case want == "":
	case k.lenient:
		p.warnings = append(p.warnings, fmt.Sprintf("cloud.conf line %d: %s = %q: %s", e.line, field, shown, want))
	default:
		p.problems = append(p.problems, &cloud.Invalid{Field: field, Value: shown, Want: fmt.Sprintf("%s (line %d)", want, e.line)})
	}
}

func (p *parser) warn(e entry, what, why string) {
	p.warnings = append(p.warnings, fmt.Sprintf("cloud.conf line %d: %s has no effect: %s", e.line, what, why))
}

// complete fills what depends on other values.
func (p *parser) complete() {
	b := &p.config.balancer
	if b.method == "" && b.provider == providerOVN {
		b.method = methodSourceIPPort
	}
	b.method = cmp.Or(b.method, methodRoundRobin)
	if b.provider == providerOVN && b.method != methodSourceIPPort {
		p.warnings = append(p.warnings, fmt.Sprintf("cloud.conf: [%s] lb-method = %q: lb-provider ovn has %s only", sectionBalancer, b.method, methodSourceIPPort))
	}
	b.monitorDelay, b.monitorTimeout = b.monitorDelay.Truncate(time.Second), b.monitorTimeout.Truncate(time.Second)
}
