package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"
)

const sectionOverride = "ServiceOverride"

// Override is a [ServiceOverride "name"].
type Override struct {
	service       string
	region        string
	URL           string
	SigningRegion string
	SigningName   string
	signingMethod string // nobody reads it
}

func (o *Override) keys() []cloudconf.Key {
	return []cloudconf.Key{
		{Name: "Service", Value: trimmedValue(&o.service), Doc: "Service: EC2, Elastic Load Balancing, Elastic Load Balancing v2, STS or ec2imds, or the names of before: ec2, elasticloadbalancing (both kinds of balancers), sts, ec2metadata. Case does not matter."},
		{Name: "Region", Value: trimmedValue(&o.region), Doc: "Region the override is for."},
		{Name: "URL", Value: trimmedValue(&o.URL), Doc: "Endpoint, such as https://ec2.example.com."},
		{Name: "SigningRegion", Value: trimmedValue(&o.SigningRegion), Doc: "Region that requests are signed for."},
		{Name: "SigningMethod", Value: cloudconf.Text(&o.signingMethod), Doc: "Accepted for compatibility and ignored: there is one method."},
		{Name: "SigningName", Value: trimmedValue(&o.SigningName), Doc: "Service that requests are signed for. Not set: the service's own."},
	}
}

// trimmedValue is a text whose white space around it does not count.
func trimmedValue(into *string) cloudconf.Value {
	return cloudconf.Value{Kind: "text", Set: func(t string) string { *into = strings.TrimSpace(t); return "" }}
}

// Overrides are the sections by their names.
type Overrides map[string]*Override

// keys returns the keys of the section of that name, which it adds.
func (all Overrides) keys(name string) []cloudconf.Key {
	if all[name] == nil {
		all[name] = &Override{}
	}
	return all[name].keys()
}

// metadataNames are what the metadata of a machine, which is the same in every region, is called.
var metadataNames = []string{strings.ToLower(imds.ServiceID), "ec2metadata"}

// ignoredNames are services that upstream has a client for and never calls.
var ignoredNames = []string{"kms", "autoscaling"}

// Find returns the override of a service, nil for none. Its own name comes before the old one,
// and upstream's spelling before others: files that are for both of upstream's SDKs have all.
func (all Overrides) Find(s Service, region string) *Override {
	same := func(a, b string) bool { return a == b }
	for _, name := range []string{s.ID, s.old} {
		for _, equal := range []func(string, string) bool{same, strings.EqualFold} {
			for _, section := range slices.Sorted(maps.Keys(all)) {
				if o := all[section]; equal(o.service, name) && o.region == region {
					return o
				}
			}
		}
	}
	return nil
}

// Metadata returns the override of the machine's metadata, nil for none.
func (all Overrides) Metadata() *Override {
	for _, section := range slices.Sorted(maps.Keys(all)) {
		if o := all[section]; slices.Contains(metadataNames, strings.ToLower(o.service)) {
			return o
		}
	}
	return nil
}

// check reports what upstream refuses to start with.
func (all Overrides) check() []error {
	var problems []error
	taken := map[string]string{}
	for _, section := range slices.Sorted(maps.Keys(all)) {
		o := all[section]
		head := fmt.Sprintf("[%s %q] ", sectionOverride, section)
		for _, required := range []struct{ key, value string }{
			{"Service", o.service}, {"Region", o.region}, {"URL", o.URL}, {"SigningRegion", o.SigningRegion},
		} {
			if required.value == "" {
				problems = append(problems, &cloud.Invalid{Field: head + required.key, Want: "want a value: Service, Region, URL and SigningRegion belong together"})
			}
		}
		if o.URL != "" {
			_, err := cloud.ParseURL(head+"URL", o.URL)
			problems = append(problems, err)
		}
		key := o.service + " " + o.region
		if other, twice := taken[key]; twice {
			problems = append(problems, &cloud.Invalid{Field: head + "Service", Value: o.service, Want: fmt.Sprintf("want each service once in a region: [%s %q] has it too", sectionOverride, other)})
		}
		taken[key] = section
	}
	return problems
}

// Unused says which overrides have no effect in the region.
func (all Overrides) Unused(region string) []string {
	known := slices.Concat(metadataNames, ignoredNames)
	for _, s := range services {
		known = append(known, strings.ToLower(s.ID), s.old)
	}
	var warnings []string
	for _, section := range slices.Sorted(maps.Keys(all)) {
		o := all[section]
		name := strings.ToLower(o.service)
		head := fmt.Sprintf("cloud.conf: [%s %q] has no effect: ", sectionOverride, section)
		switch {
		case !slices.Contains(known, name):
			warnings = append(warnings, head+fmt.Sprintf("no service called %q is used here", o.service))
		case o.region != region && !slices.Contains(metadataNames, name):
			warnings = append(warnings, head+fmt.Sprintf("its region is %s, and this is %s", o.region, region))
		}
	}
	return warnings
}
