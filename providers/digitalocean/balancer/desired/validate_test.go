package desired

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// What is refused without a reading is what no balancer can have. A type and what depends on it may be that of a balancer that is there.
func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		refused bool
	}{
		"nothing":           {nil, false},
		"two sizes":         {map[string]string{keySizeSlug.Name: "lb-small", keySize.Name: "2"}, true},
		"internal and dual": {map[string]string{keyInternal.Name: "true", keyStack.Name: object.StackDual}, true},
		"dual":              {map[string]string{keyStack.Name: object.StackDual}, false},
		"cookies":           {map[string]string{keySticky.Name: object.StickyCookies}, false},
		"network":           {map[string]string{KeyType.Name: config.TypeNetwork}, false},
		"a certificate":     {map[string]string{KeyCertificateID.Name: "unknown"}, false},
	} {
		err := Rules{DefaultType: config.TypeRegional}.Validate(cloud.Spec{Options: test.options})
		if (err != nil) != test.refused || err != nil && !cloud.IsClass(err, cloud.FailureInvalid) {
			t.Errorf("%s: error %v, refused should be %t", name, err, test.refused)
		}
	}
}
