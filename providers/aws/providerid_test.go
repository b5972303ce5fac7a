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
		"i-0123456789abcdef0":                                                         "i-0123456789abcdef0",
		"aws:///us-west-2b/72a5d6d6/fargate-ip-10-0-55-27.us-west-2.compute.internal": "fargate-ip-10-0-55-27.us-west-2.compute.internal",
	} {
		if got, err := (&Driver{}).ParseProviderID(text); err != nil || got != want {
			t.Errorf("%q = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "aws", "aws://", "aws:///", "aws://i-1", "aws:///eu-west-1a/", "aws:///eu-west-1a/i-", "aws:///eu-west-1a/i-1/", "aws:///i 1",
		"aws:///eu-west-1a/vol-1", "eks-hybrid:///eu/cluster/mi-1", "gce://project/zone/i-1", "eu-west-1a/i-1", "aws:///eu-west-1a/i-1\x00",
	} {
		if got, err := (&Driver{}).ParseProviderID(text); err == nil {
			t.Errorf("%q = %q, want an error", text, got)
		}
	}
}

func FuzzParseProviderID(f *testing.F) {
	for _, seed := range []string{"aws:///eu-west-1a/i-1", "i-1", "aws:////fargate-ip-10-0-0-1.x", "aws://"} {
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
