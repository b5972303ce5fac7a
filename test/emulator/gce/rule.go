package gce

import (
	"fmt"
	"net/http"
	"slices"
)

// Rule is something that the discovery document does not say and that is written by hand.
type Rule struct {
	// ID is "kind/what". Methods says where the rule holds.
	ID, Methods string
	Text        string
	// Source is where the rule is from: "document" (a description in the discovery document),
	// "vendor" (the vendor's pages and tools), "upstream" (what Google's own CCM relies on), "guess".
	Source string
	// IfWrong says what would change if a guess is wrong.
	IfWrong string
	// Status and Reason are the answer, 400 and "invalid" when zero.
	Status int
	Reason string
}

// The sources of rules.
const (
	fromDocument = "document"
	fromVendor   = "vendor"
	fromUpstream = "upstream"
	guess        = "guess"
)

// Rules returns all rules by hand.
func Rules() []Rule {
	return slices.Concat(commonRules, networkRules, instanceRules, addressRules, firewallRules, forwardingRules,
		poolRules, healthRules, backendRules, groupRules, endpointRules, routeRules)
}

var rulesByID = func() map[string]Rule {
	byID := map[string]Rule{}
	for _, rule := range Rules() {
		if _, twice := byID[rule.ID]; twice {
			panic("rule " + rule.ID + " is there twice")
		}
		byID[rule.ID] = rule
	}
	return byID
}()

// broken is the refusal of a rule. The rule must be in the table.
func broken(id, format string, args ...any) *problem {
	rule, ok := rulesByID[id]
	if !ok {
		panic("no rule " + id)
	}
	p := &problem{status: rule.Status, reason: rule.Reason, message: fmt.Sprintf(format, args...), rule: id}
	if p.status == 0 {
		p.status = http.StatusBadRequest
	}
	if p.reason == "" {
		p.reason = "invalid"
	}
	return p
}

var commonRules = []Rule{
	{ID: "common/authentication", Methods: "all", Text: "the access token is valid", Source: fromVendor, Status: 401, Reason: "authError"},
	{ID: "common/rights", Methods: "all", Text: "the account has the right to the method in the project", Source: fromVendor, Status: 403, Reason: "forbidden"},
	{ID: "common/use", Methods: "writes", Text: "to name an object of another project needs the right to use it there, as in subnetworks.use of a shared VPC's host project", Source: fromVendor, Status: 403, Reason: "forbidden"},
	{ID: "common/rate", Methods: "all", Text: "requests per minute, project and group are limited; the answer is 403, not 429", Source: fromVendor, Status: 403, Reason: "rateLimitExceeded"},
	{ID: "common/not-found", Methods: "all", Text: "the project, the zone or region and the object exist", Source: fromVendor, Status: 404, Reason: "notFound"},
	{ID: "common/reference", Methods: "writes", Text: "what a field names exists", Source: guess, IfWrong: "the refusal comes from the operation, and a caller must read its error", Status: 404, Reason: "notFound"},
	{ID: "common/url", Methods: "writes", Text: "a field that names an object is a URL, full or partial, of the right collection", Source: fromDocument},
	{ID: "common/name", Methods: "insert", Text: "a name is given and is 1 to 63 characters of RFC 1035, also where the document has no pattern", Source: fromDocument, Reason: "required"},
	{ID: "common/exists", Methods: "insert", Text: "no object has the name", Source: fromVendor, Status: 409, Reason: "alreadyExists"},
	{ID: "common/busy", Methods: "writes", Text: "no operation runs on the object", Source: guess, IfWrong: "a second write succeeds or waits, and a driver may send writes to one object without waiting", Reason: "resourceNotReady"},
	{ID: "common/in-use", Methods: "delete", Text: "no other object names it", Source: fromVendor, Reason: "resourceInUseByAnotherResource"},
	{ID: "common/immutable", Methods: "update patch", Text: "fields that are set for good keep their value; in an update one may be left out", Source: guess, IfWrong: "a change in place is possible, and a driver need not replace the object"},
	{ID: "common/fingerprint", Methods: "update patch setLabels setTags", Text: "a fingerprint is the current one, and is given where the document promises 412 without it", Source: fromDocument, Status: 412, Reason: "conditionNotMet"},
	{ID: "common/quota", Methods: "insert", Text: "the metric's limit is not reached", Source: fromVendor, Status: 403, Reason: "quotaExceeded"},
	{ID: "common/request-id", Methods: "writes", Text: "requestId is a UUID and not zero; a repetition answers the operation of the first request", Source: fromDocument},
	{ID: "common/output-only", Methods: "writes", Text: "an output-only field is left out or has the value that the object has", Source: guess, IfWrong: "nothing for a driver: the API ignores such fields"},
	{ID: "common/page-size", Methods: "list aggregatedList", Text: "maxResults is 0 to 500; 0 is the default, 500", Source: fromDocument},
	{ID: "common/page-token", Methods: "list aggregatedList", Text: "pageToken is one that was answered for the same list", Source: fromVendor},
	{ID: "common/order", Methods: "list aggregatedList", Text: "orderBy is name or creationTimestamp desc", Source: fromDocument},
	{ID: "common/filter", Methods: "list aggregatedList", Text: "filter is an expression in one of the two forms, not both", Source: fromDocument},
	{ID: "common/fields", Methods: "reads", Text: "fields is a mask of known form", Source: fromVendor, Reason: "invalidParameter"},
	{ID: "common/unreachable", Methods: "list aggregatedList", Text: "without returnPartialSuccess the list of a project with an unreachable zone fails; with it the scope has a warning", Source: guess, IfWrong: "lists that are cut short come without being asked for", Status: 503, Reason: "backendError"},
	{ID: "common/labels", Methods: "insert setLabels", Text: "labels are at most 64, keys begin with a small letter, 63 characters each of small letters, digits, - and _", Source: fromVendor},
}
