package hcloud

import (
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rule"
)

// Rule is something that a request must keep, or that the emulator does.
type Rule = rule.Rule

// The sources of rules.
const (
	fromVendor   = rule.Vendor
	fromClient   = rule.Client
	fromUpstream = rule.Upstream
	guess        = rule.Guess
)

var table = rule.New(http.StatusUnprocessableEntity, codeInvalid, commonRules, actionRules, networkRules, balancerRules, serviceRules,
	targetRules, attachRules, changeRules, certificateRules)

// Rules returns all rules.
func Rules() []Rule { return table.Rules() }

// broken is the refusal of a rule. The rule must be in the table.
func broken(id, format string, args ...any) *problem {
	rule := table.Broken(id)
	return &problem{status: rule.Status, code: rule.Code, message: fmt.Sprintf(format, args...), rule: id}
}

var commonRules = []Rule{
	{ID: "common/token", Where: "all", Text: "the token is one of a project", Source: fromVendor, Status: 401, Code: "unauthorized"},
	{ID: "common/read-only", Where: "writes", Text: "the token may write", Source: fromClient, Status: 403, Code: "forbidden"},
	{ID: "common/not-found", Where: "all", Text: "the resource that the path names exists in the token's project", Source: fromVendor, Status: 404, Code: "not_found"},
	{ID: "common/json", Where: "writes", Text: "the body is one JSON object", Source: fromVendor, Status: 400, Code: "json_error"},
	{ID: "common/fields", Where: "writes", Text: "the body has only known fields, of the right types", Source: guess, IfWrong: "nothing for a driver: unknown fields are ignored"},
	{ID: "common/labels", Where: "writes", Text: "keys and values of labels have the form of Kubernetes' labels", Source: fromClient},
	{ID: "common/name", Where: "writes", Text: "a name is given and is at most 128 characters long", Source: guess, IfWrong: "a longer or shorter limit: the driver shortens names elsewhere"},
	{ID: "common/query", Where: "lists", Text: "the list has the parameter", Source: guess, IfWrong: "nothing for a driver: unknown parameters are ignored"},
	{ID: "common/paging", Where: "lists", Text: "page and per_page are positive numbers", Source: fromVendor},
	{ID: "common/page-size", Where: "lists", Text: "per_page is 25 by default and counts as 50 when it is more", Source: guess, IfWrong: "more than 50 is refused; a driver that asks for 50 does not see it", Silent: true},
	{ID: "common/sort", Where: "lists", Text: "sort names a field that the list can be sorted by, with :asc or :desc behind it", Source: fromVendor},
	{ID: "common/order", Where: "lists", Text: "without sort a list is in the order of ids", Source: guess, IfWrong: "pages may overlap while resources come and go; a driver must not rely on the order", Silent: true},
	{ID: "common/selector", Where: "lists", Text: "label_selector is made of k, !k, k=v, k==v, k!=v, k in (v,w), k notin (v,w), with commas between", Source: fromVendor},
	{ID: "common/selector-absent", Where: "lists", Text: "k!=v and k notin (v) also match resources without k", Source: guess, IfWrong: "a selector with them finds fewer servers", Silent: true},
	{ID: "common/quota", Where: "all", Text: "a project has 3,600 requests an hour, one comes back each second; RateLimit-Reset is when all are back", Source: fromVendor, Silent: true, Status: 429},
	{ID: "common/quota-refused", Where: "all", Text: "refused requests do not count against the quota", Source: guess, IfWrong: "a client that goes on asking is never let in again; the kernel waits and does not see it", Silent: true},
	{ID: "common/metadata", Where: "all", Text: "the metadata service answers [] for the networks of a server in none, and 404 off the cloud", Source: guess, IfWrong: "empty text or no answer: the driver looks for its network's id and finds it in none of them", Silent: true},
	{ID: "common/ids", Where: "all", Text: "ids are unique over all projects", Source: fromUpstream, Silent: true},
}
