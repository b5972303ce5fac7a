package object

import (
	"reflect"
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// sampleOf is a value of a field that a request does not have by itself.
func sampleOf(f field) string {
	switch {
	case f.name == FieldSticky:
		return option.Cookies("DO-LB", 300)
	case f.key.Type == annotation.TypeBool:
		return "true"
	case f.name == "idleTimeout":
		return "90"
	}
	return "sample"
}

// Each row has a name and a part of the request of its own, and reads what it wrote there.
func TestRowsOfFields(t *testing.T) {
	names, parts := map[string]bool{}, map[string]string{}
	for _, f := range fields {
		if names[f.name] {
			t.Errorf("two rows are named %s", f.name)
		}
		names[f.name] = true
		var empty, written request
		f.value.write(&written, sampleOf(f))
		if got := f.value.read(&written); got != sampleOf(f) {
			t.Errorf("%s: wrote %q, and reads %q", f.name, sampleOf(f), got)
		}
		var changed []string
		for part, value := range reflect.ValueOf(written).Fields() {
			if !reflect.DeepEqual(value.Interface(), reflect.ValueOf(empty).FieldByIndex(part.Index).Interface()) {
				changed = append(changed, part.Name)
			}
		}
		if len(changed) != 1 || parts[changed[0]] != "" {
			t.Errorf("%s writes %q of the request, of which %v have a row before it; want one part of its own", f.name, changed, parts)
			continue
		}
		parts[changed[0]] = f.name
		part, _ := reflect.TypeFor[request]().FieldByName(changed[0])
		if isFlag := part.Type == reflect.TypeFor[bool]() || part.Type == reflect.TypeFor[*bool](); isFlag != (f.key.Type == annotation.TypeBool) {
			t.Errorf("%s: its annotation is of type %s, and the request has a %s", f.name, f.key.Type, part.Type)
		}
	}
}

// A field that no Service asks for, and that is not off without being asked for, stays as somebody else has set it.
func TestFieldsThatStay(t *testing.T) {
	defer func(before []field) { fields = before }(fields)
	kept := field{name: "kept", value: flag(func(r *request) *bool { return &r.EnableBackendKeepalive }), key: option.Own("kept", annotation.TypeBool, "").Standing("")}
	off := field{name: "off", value: flag(func(r *request) *bool { return &r.RedirectHttpToHttps }), key: option.Own("off", annotation.TypeBool, "")}
	fields = []field{kept, off}
	existing := &godo.LoadBalancer{EnableBackendKeepalive: true, RedirectHttpToHttps: true}
	for name, test := range map[string]struct {
		asked      map[string]string
		kept, isOn bool
	}{
		"nothing":    {nil, true, false},
		"off":        {map[string]string{kept.key.Name: "false"}, false, false},
		"on, and on": {map[string]string{kept.key.Name: "true", off.key.Name: "true"}, true, true},
	} {
		r, err := Request(existing, cloud.Balancer{ProviderFields: AskedFields(config.TypeRegional, test.asked)}, Asked{})
		if err != nil || r.EnableBackendKeepalive != test.kept || r.RedirectHttpToHttps != test.isOn {
			t.Errorf("%s: kept %t, the other one %t, %v", name, r.EnableBackendKeepalive, r.RedirectHttpToHttps, err)
		}
	}
}
