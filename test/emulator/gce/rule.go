package gce

import (
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rule"
)

// Rule is something that the discovery document does not say and that is written by hand.
type Rule = rule.Rule

// The sources of rules.
const (
	fromDocument = rule.Document
	fromVendor   = rule.Vendor
	fromUpstream = rule.Upstream
	guess        = rule.Guess
)

var table = rule.New(http.StatusBadRequest, "invalid", commonRules, networkRules, instanceRules, addressRules, firewallRules, forwardingRules,
	poolRules, healthRules, backendRules, groupRules, endpointRules, routeRules)

// Rules returns all rules by hand.
func Rules() []Rule { return table.Rules() }

// broken is the refusal of a rule. The rule must be in the table.
func broken(id, format string, args ...any) *problem {
	rule := table.Broken(id)
	return &problem{status: rule.Status, reason: rule.Code, message: fmt.Sprintf(format, args...), rule: id}
}

var commonRules = []Rule{
	{ID: "common/authentication", Where: "all", Text: "the access token is valid", Source: fromVendor, Status: 401, Code: "authError"},
	{ID: "common/rights", Where: "all", Text: "the account has the right to the method in the project", Source: fromVendor, Status: 403, Code: "forbidden"},
	{ID: "common/use", Where: "writes", Text: "to name an object of another project needs the right to use it there, as in subnetworks.use of a shared VPC's host project", Source: fromVendor, Status: 403, Code: "forbidden"},
	{ID: "common/rate", Where: "all", Text: "requests per minute, project and group are limited; the answer is 403, not 429", Source: fromVendor, Status: 403, Code: "rateLimitExceeded"},
	{ID: "common/not-found", Where: "all", Text: "the project, the zone or region and the object exist", Source: fromVendor, Status: 404, Code: "notFound"},
	{ID: "common/reference", Where: "writes", Text: "what a field names exists", Source: guess, IfWrong: "the refusal comes from the operation, and a caller must read its error", Status: 404, Code: "notFound"},
	{ID: "common/url", Where: "writes", Text: "a field that names an object is a URL, full or partial, of the right collection", Source: fromDocument},
	{ID: "common/name", Where: "insert", Text: "a name is given and is 1 to 63 characters of RFC 1035, also where the document has no pattern", Source: fromDocument, Code: "required"},
	{ID: "common/exists", Where: "insert", Text: "no object has the name", Source: fromVendor, Status: 409, Code: "alreadyExists"},
	{ID: "common/busy", Where: "writes", Text: "no operation runs on the object", Source: guess, IfWrong: "a second write succeeds or waits, and a driver may send writes to one object without waiting", Code: "resourceNotReady"},
	{ID: "common/in-use", Where: "delete", Text: "no other object names it", Source: fromVendor, Code: "resourceInUseByAnotherResource"},
	{ID: "common/immutable", Where: "update patch", Text: "fields that are set for good keep their value; in an update one may be left out", Source: guess, IfWrong: "a change in place is possible, and a driver need not replace the object"},
	{ID: "common/fingerprint", Where: "update patch setLabels setTags", Text: "a fingerprint is the current one, and is given where the document promises 412 without it", Source: fromDocument, Status: 412, Code: "conditionNotMet"},
	{ID: "common/quota", Where: "insert", Text: "the metric's limit is not reached", Source: fromVendor, Status: 403, Code: "quotaExceeded"},
	{ID: "common/request-id", Where: "writes", Text: "requestId is a UUID and not zero; a repetition answers the operation of the first request", Source: fromDocument},
	{ID: "common/output-only", Where: "writes", Text: "an output-only field is left out or has the value that the object has", Source: guess, IfWrong: "nothing for a driver: the API ignores such fields"},
	{ID: "common/page-size", Where: "list aggregatedList", Text: "maxResults is 0 to 500; 0 is the default, 500", Source: fromDocument},
	{ID: "common/page-token", Where: "list aggregatedList", Text: "pageToken is one that was answered for the same list", Source: fromVendor},
	{ID: "common/order", Where: "list aggregatedList", Text: "orderBy is name or creationTimestamp desc", Source: fromDocument},
	{ID: "common/filter", Where: "list aggregatedList", Text: "filter is an expression in one of the two forms, not both", Source: fromDocument},
	{ID: "common/fields", Where: "reads", Text: "fields is a mask of known form", Source: fromVendor, Code: "invalidParameter"},
	{ID: "common/unreachable", Where: "list aggregatedList", Text: "without returnPartialSuccess the list of a project with an unreachable zone fails; with it the scope has a warning", Source: guess, IfWrong: "lists that are cut short come without being asked for", Status: 503, Code: "backendError"},
	{ID: "common/labels", Where: "insert setLabels", Text: "labels are at most 64, keys begin with a small letter, 63 characters each of small letters, digits, - and _", Source: fromVendor},
}
