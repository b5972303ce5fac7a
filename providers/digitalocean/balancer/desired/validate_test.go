package desired

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// What is refused without a reading is what no balancer can have. A type and what depends on it may be that of a balancer that is there.
func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		// ofNew says whether it is refused where there is no balancer, refused whether it is in any case.
		ofNew, refused bool
	}{
		"nothing":           {nil, false, false},
		"two sizes":         {map[string]string{option.SizeSlug.Name: "lb-small", option.Size.Name: "2"}, true, true},
		"internal and dual": {map[string]string{option.Internal.Name: "true", option.Stack.Name: option.StackDual}, true, true},
		"dual":              {map[string]string{option.Stack.Name: option.StackDual}, false, false},
		"cookies":           {map[string]string{option.Sticky.Name: option.StickyCookies}, true, false},
		"network":           {map[string]string{option.Type.Name: config.TypeNetwork}, false, false},
		"a protocol":        {map[string]string{option.Protocol.Name: "ftp"}, true, false},
		"a name":            {map[string]string{option.CertificateName.Name: "unknown"}, false, false},
		"a certificate":     {map[string]string{option.CertificateID.Name: "unknown"}, false, false},
	} {
		for exists, refused := range map[bool]bool{false: test.ofNew, true: test.refused} {
			err := Rules{DefaultType: config.TypeRegional}.Validate(cloud.Spec{Options: test.options}, exists)
			if (err != nil) != refused || err != nil && !cloud.IsClass(err, cloud.FailureInvalid) {
				t.Errorf("%s, exists %t: error %v, refused should be %t", name, exists, err, refused)
			}
		}
	}
}
