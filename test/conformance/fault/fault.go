// Package fault translates the faults of the conformance suite for the test clouds.
package fault

import (
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// After returns the fault as a test cloud has it, for the requests after the first few.
func After(f conformance.Fault, first int) fault.Fault {
	wrong := fault.Fault{Mutating: f.Writes, Skip: first, Status: f.Status, Body: f.Body, Hang: f.Hang}
	switch {
	case f.Location != "":
		wrong.Header = map[string]string{"Location": f.Location}
	case f.RetryAfter > 0:
		wrong.Header = map[string]string{"Retry-After": strconv.Itoa(int(f.RetryAfter.Seconds()))}
	case f.Truncate:
		keep := 5
		wrong.Truncate = &keep
	case f.Lost:
		wrong.Apply, wrong.Drop = true, true
	case f.Nonsense:
		wrong.Status, wrong.Body = http.StatusOK, "<html>a proxy</html>"
	case f.Blank:
		wrong.Status, wrong.Body = http.StatusOK, "{}"
	}
	return wrong
}
