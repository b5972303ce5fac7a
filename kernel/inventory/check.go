package inventory

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func newLines(content []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(content)) }

// whose reads which Nodes an entry is about.
func (r *reader) whose(place string, object map[string]any, m *machine) {
	m.name, m.names = r.text(place, object, "name"), r.text(place, object, "names")
	selector := r.text(place, object, "selector")
	given := 0
	for _, text := range []string{m.name, m.names, selector} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		r.refuse(strings.TrimSuffix(place, "."), "has %d of name, names and selector, want exactly one", given)
	}
	if m.name != "" {
		r.nodeName(place+"name", m.name)
	}
	if _, err := path.Match(m.names, "x"); err != nil {
		r.refuse(place+"names", "%q is no pattern, want one such as rack2-*", cloud.Shorten(m.names, cloud.MostOfValue))
	}
	if selector == "" {
		return
	}
	parsed, err := labels.Parse(selector)
	if err != nil || parsed.Empty() {
		r.refuse(place+"selector", "%q is no selector, want one such as site=office", cloud.Shorten(selector, cloud.MostOfValue))
		return
	}
	m.selector = parsed
}

// nodeName refuses a name that no Node can have, and one that an entry before has.
func (r *reader) nodeName(place, name string) {
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		r.refuse(place, "no Node can be named %q, want lower-case letters, digits, - and . as kubectl get nodes shows them", cloud.Shorten(name, cloud.MostOfValue))
	}
	if first, twice := r.names[name]; twice {
		r.refuse(place, "%s is the name of %s too", name, first)
		return
	}
	r.names[name] = place
}

// labelValue returns the value of a key that becomes one of a label.
func (r *reader) labelValue(place string, object map[string]any, key string) string {
	value := r.text(place, object, key)
	if value != "" && !cloud.IsLabelValue(value) {
		r.refuse(place+key, "%q is no value of a label, want %s", cloud.Shorten(value, cloud.MostOfValue), labelValueForm)
		return ""
	}
	return value
}

const labelValueForm = "at most 63 letters, digits, -, _ and ., which begin and end with a letter or a digit"

// labels reads further labels. Kubernetes' own are refused: the node controller drops them, and a kubelet chooses its own name and
// labels, so that an entry would hand it one that the admission plugin NodeRestriction keeps from it.
func (r *reader) labels(place string, object map[string]any) map[string]string {
	given, is := object["labels"].(map[string]any)
	if !is {
		if object["labels"] != nil {
			r.refuse(place+"labels", "is %s, want labels such as {disk: hdd}", shown(object["labels"]))
		}
		return nil
	}
	all := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		where := fmt.Sprintf("%slabels[%s]", place, cloud.Shorten(key, cloud.MostOfValue))
		value := r.text(place+"labels.", given, key)
		switch prefix, _, prefixed := strings.Cut(key, "/"); {
		case len(validation.IsQualifiedName(key)) > 0:
			r.refuse(where, "no such key of a label is possible, want one such as disk or example.com/disk")
		case prefixed && ofKubernetes(prefix):
			r.refuse(where, "labels of kubernetes.io and k8s.io are not written; set zone, region or type, the kubelet's --node-labels, or use kubectl label node")
		case prefix == ownPrefix:
			r.refuse(where, "such labels say what is done with a Node, and an entry is no place for that; use kubectl label node")
		case len(validation.IsValidLabelValue(value)) > 0:
			r.refuse(where, "%q is no value of a label, want %s", cloud.Shorten(value, cloud.MostOfValue), labelValueForm)
		}
		all[key] = value
	}
	return all
}

// ownPrefix is that of labels such as multicloud-ccm.io/unmanaged, with which nothing would be done for the Node any more.
const ownPrefix = "multicloud-ccm.io"

func ofKubernetes(prefix string) bool {
	return slices.ContainsFunc([]string{"kubernetes.io", "k8s.io"}, func(domain string) bool { return prefix == domain || strings.HasSuffix(prefix, "."+domain) })
}

// addresses reads IP addresses, none of them twice.
func (r *reader) addresses(place string, object map[string]any, key string) []string {
	var all []string
	for n, given := range list(r, place, object, key) {
		where := fmt.Sprintf("%s%s[%d]", place, key, n)
		text, _ := given.(string)
		address, err := netip.ParseAddr(text)
		switch {
		case err != nil || address.Zone() != "":
			r.refuse(where, "%s is no IP address", shown(given))
		case address.IsUnspecified(), address.IsLoopback(), address.IsMulticast(), address.IsLinkLocalUnicast():
			r.refuse(where, "nobody reaches a machine at %s", text)
		case slices.Contains(all, address.Unmap().String()):
			r.refuse(where, "%s is there twice", text)
		default:
			all = append(all, address.Unmap().String())
		}
	}
	return all
}

// carrier is the network that providers have behind their routers, and VPNs use: RFC 6598.
var carrier = netip.MustParsePrefix("100.64.0.0/10")

// internalOnce refuses an InternalIP of two machines.
func (r *reader) internalOnce(place string, m *machine) {
	if len(m.InternalIPs) > 0 && m.name == "" {
		r.refuse(place+"internalIPs", "are those of one machine, and only an entry with name is about one")
	}
	for n, text := range m.InternalIPs {
		where := fmt.Sprintf("%sinternalIPs[%d]", place, n)
		if first, twice := r.internal[text]; twice {
			r.refuse(where, "%s is there twice, see %s", text, first)
		}
		r.internal[text] = where
		if address := netip.MustParseAddr(text); !address.IsPrivate() && !carrier.Contains(address) {
			r.warnings = append(r.warnings, where+": "+text+" is a public address: is it meant to be one of externalIPs?")
		}
	}
}
