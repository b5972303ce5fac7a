package instance

import (
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestParseProviderID(t *testing.T) {
	for text, want := range map[string]cloud.InstanceID{
		"aws:///eu-west-1a/i-0123456789abcdef0": "i-0123456789abcdef0",
		"aws:////i-0123456789abcdef0":           "i-0123456789abcdef0",
		"aws://eu-west-1a/i-0123456789abcdef0":  "i-0123456789abcdef0",
		"aws:///eu-west-1a/i-0123abcd":          "i-0123abcd",
		// Without a scheme, as upstream's older releases and kubelets' --provider-id have it.
		"i-0123456789abcdef0":                    "i-0123456789abcdef0",
		"i-0123abcd":                             "i-0123abcd",
		"eu-west-1a/i-0123456789abcdef0":         "i-0123456789abcdef0",
		"/eu-west-1a/i-0123456789abcdef0":        "i-0123456789abcdef0",
		"aws:///eu-west-1a/i-0123456789abcdef0/": "i-0123456789abcdef0",
		"aws:///us-west-2b/72a5d6d6/fargate-ip-10-0-55-27.us-west-2.compute.internal": "fargate-ip-10-0-55-27.us-west-2.compute.internal",
	} {
		if got, err := (&Machines{}).ParseProviderID(text); err != nil || got != want {
			t.Errorf("%q = %q, %v; want %q", text, got, err, want)
		}
	}
	const id = "i-0123456789abcdef0"
	for _, text := range []string{
		"", "aws", "aws://", "aws:///", "aws://" + id, "aws:///eu-west-1a/", "aws:///eu-west-1a/i-", "aws:///i 1",
		"aws:///eu-west-1a/vol-0123456789abcdef0", "eks-hybrid:///eu/cluster/mi-1", "gce://project/zone/" + id, "web", "metal-7", "eu-west-1a/metal-7",
		"aws:///eu-west-1a/" + id + "\x00", "aws:///eu-west-1a/" + id + "\n",
		// What EC2 calls malformed, as of made-up Nodes.
		"aws:///eu-west-1a/i-1", "aws:///eu-west-1a/i-web", "aws:///eu-west-1a/" + id + "1", "aws:///eu-west-1a/i-0123456789ABCDEF0",
		"aws:///eu-west-1a/fargate-abc", "aws:///eu-west-1a/fargate-ip-10-0-55.eu-west-1.compute.internal",
	} {
		if got, err := (&Machines{}).ParseProviderID(text); err == nil {
			t.Errorf("%q = %q, want an error", text, got)
		}
	}
}

// The same id in another region is another machine, or none.
func TestConcerns(t *testing.T) {
	const id = "i-0123456789abcdef0"
	m := &Machines{Region: "us-east-1"}
	for text, want := range map[string]bool{
		"aws:///us-east-1a/" + id:              true,
		"aws:////" + id:                        true,
		"aws:///" + id:                         true,
		"aws://us-east-1a/" + id:               true,
		"us-east-1a/" + id:                     true,
		id:                                     true,
		"aws:///us-east-1-atl-1a/" + id:        true, // a Local Zone
		"aws:///us-east-1-wl1-bos-wlz-1/" + id: true, // a Wavelength Zone
		"aws:///us-east-1a/72a5/fargate-ip-10-0-55-27.ec2.internal": true,
		"aws:///rack-7/" + id:           true, // not a zone of AWS
		"aws:///us-east-1a/i-web":       true, // ours and malformed
		"aws://":                        true,
		"aws:///eu-west-1a/" + id:       false,
		"aws://eu-west-1a/" + id:        false,
		"eu-west-1a/" + id:              false,
		"aws:///us-east-2a/" + id:       false,
		"aws:///us-west-2-lax-1a/" + id: false,
		"aws:///us-gov-east-1a/" + id:   false,
		"aws:///eu-west-1a/72a5/fargate-ip-10-0-55-27.eu.ec2.internal": false,
		"aws:///eu-west-1a/i-web":                                      false,
		"us-east-1a/i-web":                                             false,
		"gce://project/zone/" + id:                                     false,
		"eks-hybrid:///us-east-1/cluster/mi-1":                         false,
		"web":                                                          false,
		"":                                                             false,
	} {
		if got := m.Concerns(text); got != want {
			t.Errorf("%q concerns us-east-1: %t, want %t", text, got, want)
		}
	}
	if other := (&Machines{Region: "site"}); !other.Concerns("aws:///us-east-1a/" + id) {
		t.Error("a cloud whose region is not called as one of AWS takes zones of any name")
	}
}

// FuzzParseProviderID: what does not concern us is never parsed, and what does is parsed or has
// an error with the id in it.
func FuzzParseProviderID(f *testing.F) {
	for _, seed := range []string{
		"aws:///eu-west-1a/i-0123abcd", "i-1", "i-0123abcd", "aws:////fargate-ip-10-0-0-1.x", "aws://", "us-east-1a/i-0123abcd",
		"aws:///us-east-1-wl1-bos-wlz-1/i-0123abcd", "eu-west-1a/i-0123abcd/", "gce://a/i-0123abcd",
	} {
		f.Add(seed)
	}
	m := &Machines{Region: "us-east-1"}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := m.ParseProviderID(text)
		if err == nil && !m.Concerns(text) {
			t.Errorf("%q is parsed as %q and does not concern us", text, id)
		}
		if err != nil {
			if !strings.Contains(err.Error(), strconv.Quote(text)) {
				t.Errorf("%q: the error %q does not name it", text, err)
			}
			return
		}
		if strings.ContainsAny(string(id), "/ \x00") || id == "" {
			t.Errorf("%q = %q", text, id)
		}
		if again, err := m.ParseProviderID(providerID("zone", id)); err != nil || again != id {
			t.Errorf("%q written and read again = %q, %v", id, again, err)
		}
	})
}

func TestNameID(t *testing.T) {
	for name, want := range map[string]cloud.InstanceID{
		"i-0123456789abcdef0": "i-0123456789abcdef0",
		"i-0123abcd":          "i-0123abcd",
		"i-0123456789abcdef0.eu-west-1.compute.internal": "i-0123456789abcdef0",
		"i-0123456789abcdef0.example.com":                "i-0123456789abcdef0",
		"i-0123456789abcdef01":                           "",
		"i-web":                                          "",
		"ip-10-0-0-1.ec2.internal":                       "",
		"":                                               "",
	} {
		if got := (&Machines{}).NameID(name); got != want {
			t.Errorf("%q = %q, want %q", name, got, want)
		}
	}
}
