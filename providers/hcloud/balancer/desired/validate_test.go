package desired

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Private addresses without a network are refused without a reading. A location that is missing may be that of a load balancer that
// the Service names.
func TestValidate(t *testing.T) {
	private := cloud.Spec{Options: map[string]string{usePrivateIP.Name: "true"}}
	if err := (Configuration{}).Validate(private, false); !cloud.IsClass(err, cloud.FailureInvalid) {
		t.Errorf("private addresses without a network: %v", err)
	}
	if err := (Configuration{Network: 1}).Validate(private, false); err != nil {
		t.Errorf("private addresses with a network: %v", err)
	}
	if err := (Configuration{}).Validate(cloud.Spec{}, false); err != nil {
		t.Errorf("no location: %v", err)
	}
}
