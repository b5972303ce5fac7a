package plan

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// JSON writes the plan as one indented JSON object and a newline. "operations" is always an
// array, so that a program need not care about null.
func (p Plan) JSON(w io.Writer) error {
	if p.Operations == nil {
		p.Operations = []cloud.Operation{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(p); err != nil {
		return fmt.Errorf("writing plan of %s: %w", p.Subject, err)
	}
	return nil
}
