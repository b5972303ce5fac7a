package aws

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestParseProviderID(t *testing.T) {
	for text, want := range map[string]cloud.InstanceID{
		"aws:///eu-west-1a/i-0123456789abcdef0":                                       "i-0123456789abcdef0",
		"aws:////i-0123456789abcdef0":                                                 "i-0123456789abcdef0",
		"aws://eu-west-1a/i-0123456789abcdef0":                                        "i-0123456789abcdef0",
		"aws:///eu-west-1a/i-0123abcd":                                                "i-0123abcd",
		"aws:///us-west-2b/72a5d6d6/fargate-ip-10-0-55-27.us-west-2.compute.internal": "fargate-ip-10-0-55-27.us-west-2.compute.internal",
	} {
		if got, err := (&Driver{}).ParseProviderID(text); err != nil || got != want {
			t.Errorf("%q = %q, %v; want %q", text, got, err, want)
		}
	}
	const id = "i-0123456789abcdef0"
	for _, text := range []string{
		"", "aws", "aws://", "aws:///", "aws://" + id, "aws:///eu-west-1a/", "aws:///eu-west-1a/i-", "aws:///eu-west-1a/" + id + "/", "aws:///i 1",
		"aws:///eu-west-1a/vol-0123456789abcdef0", "eks-hybrid:///eu/cluster/mi-1", "gce://project/zone/" + id, "eu-west-1a/" + id, id,
		"aws:///eu-west-1a/" + id + "\x00", "aws:///eu-west-1a/" + id + "\n",
		// What EC2 calls malformed, as of made-up Nodes.
		"aws:///eu-west-1a/i-1", "aws:///eu-west-1a/i-web", "aws:///eu-west-1a/" + id + "1", "aws:///eu-west-1a/i-0123456789ABCDEF0",
		"aws:///eu-west-1a/fargate-abc", "aws:///eu-west-1a/fargate-ip-10-0-55.eu-west-1.compute.internal",
	} {
		if got, err := (&Driver{}).ParseProviderID(text); err == nil {
			t.Errorf("%q = %q, want an error", text, got)
		}
	}
}

func FuzzParseProviderID(f *testing.F) {
	for _, seed := range []string{"aws:///eu-west-1a/i-0123abcd", "i-1", "aws:////fargate-ip-10-0-0-1.x", "aws://"} {
		f.Add(seed)
	}
	d := &Driver{}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := d.ParseProviderID(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(string(id), "/ \x00") || id == "" {
			t.Errorf("%q = %q", text, id)
		}
		if again, err := d.ParseProviderID(providerID("zone", id)); err != nil || again != id {
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
		if got := (&Driver{}).NameID(name); got != want {
			t.Errorf("%q = %q, want %q", name, got, want)
		}
	}
}
