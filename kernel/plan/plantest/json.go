// Package plantest is what tests of plans have in common.
package plantest

import (
	"encoding/json"
	"io"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// WriteJSON writes a plan as a Report has it, with an array of operations where there are none.
func WriteJSON(w io.Writer, p plan.Plan) error {
	if p.Operations == nil {
		p.Operations = []cloud.Operation{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(p)
}
