package aws

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

// override is a [ServiceOverride "name"].
type override struct {
	service       string
	region        string
	url           string
	signingRegion string
	signingName   string
	signingMethod string // nobody reads it
}

func (o *override) keys() []cloudconf.Key {
	return []cloudconf.Key{
		{Name: "Service", Value: trimmedValue(&o.service), Doc: "Service: EC2, Elastic Load Balancing, Elastic Load Balancing v2, STS or ec2imds, or the names of before: ec2, elasticloadbalancing (both kinds of balancers), sts, ec2metadata. Case does not matter."},
		{Name: "Region", Value: trimmedValue(&o.region), Doc: "Region the override is for."},
		{Name: "URL", Value: trimmedValue(&o.url), Doc: "Endpoint, such as https://ec2.example.com."},
		{Name: "SigningRegion", Value: trimmedValue(&o.signingRegion), Doc: "Region that requests are signed for."},
		{Name: "SigningMethod", Value: cloudconf.Text(&o.signingMethod), Doc: "Accepted for compatibility and ignored: there is one method."},
		{Name: "SigningName", Value: trimmedValue(&o.signingName), Doc: "Service that requests are signed for. Not set: the service's own."},
	}
}

// trimmedValue is a text whose white space around it does not count.
func trimmedValue(into *string) cloudconf.Value {
	return cloudconf.Value{Kind: "text", Set: func(t string) string { *into = strings.TrimSpace(t); return "" }}
}

// overrides are the sections by their names.
type overrides map[string]*override

// keys returns the keys of the section of that name, which it adds.
func (all overrides) keys(name string) []cloudconf.Key {
	if all[name] == nil {
		all[name] = &override{}
	}
	return all[name].keys()
}

// metadataNames are what the metadata of a machine, which is the same in every region, is called.
var metadataNames = []string{strings.ToLower(imds.ServiceID), "ec2metadata"}

// ignoredNames are services that upstream has a client for and never calls.
var ignoredNames = []string{"kms", "autoscaling"}

// find returns the override of a service, nil for none. Its own name comes before the old one,
// and upstream's spelling before others: files that are for both of upstream's SDKs have all.
func (all overrides) find(s service, region string) *override {
	same := func(a, b string) bool { return a == b }
	for _, name := range []string{s.id, s.old} {
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

// metadata returns the override of the machine's metadata, nil for none.
func (all overrides) metadata() *override {
	for _, section := range slices.Sorted(maps.Keys(all)) {
		if o := all[section]; slices.Contains(metadataNames, strings.ToLower(o.service)) {
			return o
		}
	}
	return nil
}

// check reports what upstream refuses to start with.
func (all overrides) check() []error {
	var problems []error
	taken := map[string]string{}
	for _, section := range slices.Sorted(maps.Keys(all)) {
		o := all[section]
		head := fmt.Sprintf("[%s %q] ", sectionOverride, section)
		for _, required := range []struct{ key, value string }{
			{"Service", o.service}, {"Region", o.region}, {"URL", o.url}, {"SigningRegion", o.signingRegion},
		} {
			if required.value == "" {
				problems = append(problems, &cloud.Invalid{Field: head + required.key, Want: "want a value: Service, Region, URL and SigningRegion belong together"})
			}
		}
		if o.url != "" && !isURL(o.url) {
			problems = append(problems, &cloud.Invalid{Field: head + "URL", Value: o.url, Want: wantURL})
		}
		key := o.service + " " + o.region
		if other, twice := taken[key]; twice {
			problems = append(problems, &cloud.Invalid{Field: head + "Service", Value: o.service, Want: fmt.Sprintf("want each service once in a region: [%s %q] has it too", sectionOverride, other)})
		}
		taken[key] = section
	}
	return problems
}

// unused says which overrides have no effect in the region.
func (all overrides) unused(region string) []string {
	known := slices.Concat(metadataNames, ignoredNames)
	for _, s := range services {
		known = append(known, strings.ToLower(s.id), s.old)
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
