package hcloud_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
)

// matrix is the page that TestMatrix writes with -update.
const matrix = "../../../docs/reference/hcloud-matrix.md"

// cases are the annotations that the suite's variations leave out, for the matrix.
func cases() map[string]map[string]string {
	all := map[string]map[string]string{}
	for key, v := range variations() {
		if v.Skip == "" {
			all[key] = maps.Clone(v.With)
			if all[key] == nil {
				all[key] = map[string]string{}
			}
			all[key][key] = v.Value
		}
	}
	with := func(more map[string]string, key, value string) map[string]string {
		more = maps.Clone(more)
		more[key] = value
		return more
	}
	managed := map[string]string{upstream + "protocol": "443=https", upstream + "certificate-type": "managed", upstream + "http-managed-certificate-domains": "example.com"}
	none := map[string]string{}
	for key, annotations := range map[string]map[string]string{
		annotation.Prefix + "size":                         with(none, annotation.Prefix+"size", "lb21"),
		upstream + "network-zone":                          {upstream + "location": "", upstream + "network-zone": "us-east"},
		upstream + "disable-private-ingress":               with(none, upstream+"disable-private-ingress", "true"),
		upstream + "ipv6-disabled":                         with(none, upstream+"ipv6-disabled", "true"),
		annotation.Prefix + "address":                      with(none, annotation.Prefix+"address", "10.0.0.200"),
		upstream + "ipv4-rdns":                             with(none, upstream+"ipv4-rdns", "www.example.com"),
		upstream + "ipv6-rdns":                             with(none, upstream+"ipv6-rdns", "www.example.com"),
		upstream + "http-managed-certificate-name":         with(managed, upstream+"http-managed-certificate-name", "front"),
		upstream + "http-managed-certificate-acme-staging": with(managed, upstream+"http-managed-certificate-acme-staging", "true"),
	} {
		all[key] = annotations
	}
	return all
}

// leftOut are annotations that have tests of their own.
var leftOut = map[string]string{
	annotation.Hostname.Name: "TestBalancerStatus", annotation.NodeSelector.Name: "TestDedicatedTargets",
	annotation.Prefix + "hcloud-adopt-whole": "TestAdoptedAsAWhole", upstream + "http-redirect-http": "TestRedirect",
}

// TestMatrix sets each annotation on a Service that has a load balancer, reads back what the API shows,
// takes it away again, and makes a load balancer that has it from the start.
func TestMatrix(t *testing.T) {
	var page strings.Builder
	page.WriteString("# What annotations do on Hetzner\n\n<!-- written by TestMatrix with -update -->\n\n" +
		"Each annotation was set on a Service with the ports 80 and 443 that has a load balancer, read back from the [emulated](https://github.com/multicloud-ccm/multicloud-ccm/tree/main/test/emulator/hcloud) API, " +
		"and taken away again. A load balancer that has it from the start shows the same, except where the table says so.\n\n" +
		"| Annotation | Value | What the API shows | After it is taken away |\n|---|---|---|---|\n")
	samples := cases()
	for _, key := range hcloud.Annotations() {
		if key.Output || leftOut[key.Name] != "" {
			continue
		}
		t.Run(key.Name, func(t *testing.T) {
			annotations, ok := samples[key.Name]
			if !ok {
				t.Fatal("there is no case for this annotation")
			}
			page.WriteString(row(t, key.Name, annotations))
		})
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(matrix, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(matrix)
	if diff := cmp.Diff(string(want), page.String()); err != nil || diff != "" && !t.Failed() {
		t.Errorf("%v; the page differs, -update writes it (-page +now):\n%s", err, diff)
	}
}

// row sets one annotation, besides those it works with, and takes it away.
func row(t *testing.T, key string, annotations map[string]string) string {
	without := maps.Clone(annotations)
	delete(without, key)
	if key == upstream+"http-managed-certificate-domains" { // there is no managed certificate without any
		without[key] = "example.com"
	}
	if without[upstream+"location"] == "" { // else there is no place without the key
		delete(without, upstream+"location")
	}
	b := newBench(t)
	before := b.ensure(without)
	set := b.ensure(annotations)
	after := b.ensure(without)
	fresh := newBench(t)
	made := fresh.ensure(annotations)

	shows, instead := changes(before, set), "as before"
	if left := changes(before, after); left != "" {
		instead = "stays: " + left
	}
	if ofNew := changes(before, made); ofNew != shows {
		shows = strings.TrimPrefix(shows+"<br>a new one: "+ofNew, "<br>")
	}
	if shows == "" {
		t.Errorf("%s: %q changes nothing", key, annotations[key])
	}
	fresh.remove()
	b.remove()
	value := "`" + annotations[key] + "`"
	for _, other := range slices.Sorted(maps.Keys(without)) {
		if other != key {
			value += "<br>with `" + strings.TrimPrefix(other, upstream) + ": " + without[other] + "`"
		}
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", key, value, shows, instead)
}

// shown is what the API shows, and what the Service is told, by the name of the field.
func (b *bench) shown(o cloud.Observed) map[string]string {
	fields := map[string]string{}
	state := b.server.State()
	text, err := json.Marshal(state.Balancers[0])
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object any
	if err = errors.Join(err, decoder.Decode(&object)); err != nil {
		b.Fatal(err)
	}
	flatten(fields, "", object)
	maps.DeleteFunc(fields, func(name, _ string) bool {
		return name == "created" || strings.Contains(name, "health_status") || strings.HasPrefix(name, "labels.") ||
			strings.HasPrefix(name, "load_balancer_type.") && name != "load_balancer_type.name" || strings.HasPrefix(name, "location.") && name != "location.name"
	})
	var addresses []string
	for _, a := range o.Addresses {
		addresses = append(addresses, a.IP)
	}
	fields["status"] = strings.Join(addresses, " ")
	for _, c := range state.Certificates {
		if c.Type == "managed" {
			fields["managed certificate"] = c.Name + " of " + strings.Join(c.DomainNames, ", ")
			if c.Labels["HC-Use-Staging-CA"] != "" {
				fields["managed certificate"] += ", by the staging CA"
			}
		}
	}
	return fields
}

// flatten names the parts of an answer: services by their port, other items of lists by their place.
func flatten(into map[string]string, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(into, strings.TrimPrefix(name+"."+key, "."), inner)
		}
	case []any:
		for i, item := range v {
			at := strconv.Itoa(i)
			if service, ok := item.(map[string]any); ok && service["listen_port"] != nil {
				at = fmt.Sprint(service["listen_port"])
			}
			flatten(into, name+"["+at+"]", item)
		}
	case nil:
	default:
		into[name] = fmt.Sprint(v)
	}
}

// changes says how two states differ. Addresses and ids that every object has of its own are not compared.
func changes(before, after map[string]string) string {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch was, is := before[name], after[name]; {
		case was == is:
		case is == "":
			list = append(list, "no `"+name+"`")
		default:
			list = append(list, "`"+name+": "+is+"`")
		}
	}
	return strings.Join(list, ", ")
}
