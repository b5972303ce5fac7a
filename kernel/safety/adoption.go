package safety

import (
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Rule says which load balancers that are not provably a Service's it may take over, when the
// Service names them.
type Rule string

// The rules.
const (
	// AdoptUnowned allows those that carry nobody's ownership tag.
	AdoptUnowned Rule = "unowned"
	// AdoptOwn allows none.
	AdoptOwn Rule = "own"
	// AdoptAny allows all that are named by id.
	AdoptAny Rule = "any"
)

// Adoption is the operator's policy. The zero value is AdoptUnowned without consents.
type Adoption struct {
	rule Rule
	// consents are the Services, as namespace/name, by the id of the load balancer that each may
	// have, whoever has it now.
	consents map[string]map[string]bool
}

// wantAdoption says what ParseAdoption reads.
const wantAdoption = `want one of "unowned", "own" and "any", or id=namespace/name for each load balancer that a certain Service may take over, or both`

// ParseAdoption reads a policy: at most one rule, and any number of consents in the form
// id=namespace/name. The last "=" separates, ids can hold others.
func ParseAdoption(items []string) (Adoption, error) {
	a := Adoption{consents: map[string]map[string]bool{}}
	for _, item := range items {
		item = strings.TrimSpace(item)
		switch rule := Rule(item); {
		case item == "":
		case rule == AdoptUnowned || rule == AdoptOwn || rule == AdoptAny:
			if a.rule != "" && a.rule != rule {
				return Adoption{}, fmt.Errorf("%q and %q exclude each other: %s", a.rule, rule, wantAdoption)
			}
			a.rule = rule
		default:
			id, service, err := parseConsent(item)
			if err != nil {
				return Adoption{}, err
			}
			if a.consents[id] == nil {
				a.consents[id] = map[string]bool{}
			}
			a.consents[id][service] = true
		}
	}
	return a, nil
}

func parseConsent(item string) (id, service string, err error) {
	at := strings.LastIndex(item, "=")
	if at < 1 {
		return "", "", fmt.Errorf("%q: %s", item, wantAdoption)
	}
	id, service = strings.TrimSpace(item[:at]), strings.TrimSpace(item[at+1:])
	namespace, name, _ := strings.Cut(service, "/")
	if id == "" || strings.ContainsAny(id, " \t\r\n") || !isLabel(namespace) || !isLabel(name) {
		return "", "", fmt.Errorf("%q: %s", item, wantAdoption)
	}
	return id, service, nil
}

// isLabel reports whether text can be the name of a namespace or a Service.
func isLabel(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	return len(text) > 0 && len(text) <= 63 && strings.Trim(text, letters+"-") == "" &&
		strings.Trim(text[:1]+text[len(text)-1:], letters) == ""
}

// allows reports whether the operator lets the Service have this load balancer.
func (a Adoption) allows(id string, service cloud.Owner) bool {
	return id != "" && a.consents[id][service.String()]
}
