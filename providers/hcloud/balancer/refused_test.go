package balancer

import (
	"slices"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestNamedTargets: what names no target of the request is passed over, whatever the API answers.
func TestNamedTargets(t *testing.T) {
	targets := []cloud.Resource{{Key: "server 11", Machine: "11"}, {Key: "server 12", Machine: "12"}}
	for field, want := range map[string][]cloud.InstanceID{
		"targets.1.server": {"12"}, "targets.2.server": nil, "targets.-1.server": nil, "targets.x": nil, "targets": nil, "name": nil,
	} {
		answer := hcloud.Error{Details: hcloud.ErrorDetailsInvalidInput{Fields: []hcloud.ErrorDetailsInvalidInputField{{Name: field}}}}
		if named := namedTargets(answer, targets); !slices.Equal(named, want) {
			t.Errorf("%s names %v, want %v", field, named, want)
		}
	}
}
