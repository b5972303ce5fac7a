package failure

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOfTargets(t *testing.T) {
	asked := map[string]cloud.InstanceID{"i-1": "i-1", "i-12": "i-12", "10.0.0.1": "i-1", "10.0.0.11": "i-3", "fd00::1": "i-4"}
	for text, want := range map[string][]cloud.InstanceID{
		"The following targets are not in a running state and cannot be registered: 'i-12', 'i-9'": {"i-12"},
		"The following targets are not in a running state and cannot be registered: 'i-1'":         {"i-1"},
		"Could not find EC2 instance i-1.":                            {"i-1"},
		"The IP address '10.0.0.11' is not within a range of the VPC": {"i-3"},
		"One of i-1, 10.0.0.1 and [fd00::1]: none will do":            {"i-1", "i-4"},
		"i-123 is not in vpc-i-1":                                     nil,
		"no":                                                          nil,
	} {
		err := &smithy.GenericAPIError{Code: "InvalidTarget", Message: text}
		got := OfTargets(err, asked)
		if !slices.Equal(got.Named, want) || got.Text != text || !errors.Is(got, err) || !slices.Equal(got.Asked, []cloud.InstanceID{"i-1", "i-12", "i-3", "i-4"}) {
			t.Errorf("%s: %+v, want %v", text, got, want)
		}
	}
	if none := OfTargets(&smithy.GenericAPIError{Code: "InvalidTarget"}, nil); none.Text == "" || none.Asked == nil || none.Named != nil {
		t.Errorf("%+v", none)
	}
}
