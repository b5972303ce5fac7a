package toycloud

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// The annotations of this provider. Internal is one that every cloud has.
var (
	ID = annotation.Key{
		Name: annotation.Prefix + "toycloud-balancer-id", Type: annotation.TypeString,
		Check: checkID, Want: `the id of a balancer, such as "lb-1"`,
		Doc: "The id of the balancer, written once it exists. Set it in advance to adopt a balancer.",
	}
	Internal = annotation.Internal
)

// Annotations returns all of them, in the order of the documentation.
func Annotations() annotation.Set { return annotation.Set{ID, Internal} }

// checkID reports whether a text can be the id of a balancer.
func checkID(id string) (string, bool) {
	number, ok := strings.CutPrefix(id, "lb-")
	return id, ok && number != "" && len(id) <= 20 && strings.Trim(number, "0123456789") == ""
}
