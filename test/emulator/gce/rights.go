package gce

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// account is who a token belongs to.
type account struct {
	email  string
	all    bool                // may do everything everywhere
	rights map[string][]string // project → patterns of methods
	key    *serviceKey
}

// issued is an access token. Expires is zero when it does not.
type issued struct {
	account *account
	expires time.Time
}

func (s *Server) addAccount(email string) *account {
	a, ok := s.accounts[email]
	if !ok {
		a = &account{email: email, rights: map[string][]string{}}
		s.accounts[email] = a
	}
	return a
}

// Grant gives an account, made on first use, the right to methods in a project, which is made on
// first use too. Patterns are those of path.Match, as in "instances.*".
func (s *Server) Grant(email, project string, methods ...string) {
	s.change(func() {
		s.store.project(project)
		a := s.addAccount(email)
		a.rights[project] = append(a.rights[project], methods...)
	})
}

// Revoke takes all of an account's rights in a project away.
func (s *Server) Revoke(email, project string) {
	s.change(func() { delete(s.addAccount(email).rights, project) })
}

// SetToken makes an access token of an account valid; it does not expire.
func (s *Server) SetToken(token, email string) {
	s.change(func() { s.tokens[token] = issued{account: s.addAccount(email)} })
}

// RevokeToken makes an access token invalid: requests with it get 401.
func (s *Server) RevokeToken(token string) { s.change(func() { delete(s.tokens, token) }) }

// account returns whose the request is. It must have been admitted.
func (s *Server) account(r *http.Request) *account { return s.tokens[wire.Bearer(r)].account }

// admit refuses a request without a valid token, without the right, or above its rate.
func (s *Server) admit(r *http.Request, method string) error {
	held, ok := s.tokens[wire.Bearer(r)]
	if !ok || (!held.expires.IsZero() && !held.expires.After(s.options.Now())) {
		return broken("common/authentication", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	}
	project := s.store.projectID(r.PathValue("project"))
	if !held.account.may(project, method) {
		return broken("common/rights", "Required 'compute.%s' permission for 'projects/%s'", method, project)
	}
	group := rateGroup(method)
	if limiter := s.rates[group]; limiter != nil && !limiter.Allow(project).Allowed {
		return broken("common/rate", "Quota exceeded for quota group '%s' and limit '%s requests per 60 seconds' of service 'compute.googleapis.com' for consumer 'project_number:%s'.", group, group, project)
	}
	return nil
}

// may says whether an account has the right to a method in a project.
func (a *account) may(project, method string) bool {
	return a.all || slices.ContainsFunc(a.rights[project], func(pattern string) bool {
		match, err := path.Match(pattern, method)
		return err == nil && match
	})
}

// rateGroup is the group whose rate a method counts in.
func rateGroup(method string) string {
	collection, verb, _ := strings.Cut(method, ".")
	switch {
	case strings.HasSuffix(collection, "Operations"):
		return "operation"
	case verb == "get":
		return "read"
	case strings.HasPrefix(verb, "list"), verb == "aggregatedList", verb == "getHealth":
		return "list"
	}
	return "mutate"
}

// SetRates limits requests per minute and project by group; groups that are left out are not limited.
func (s *Server) SetRates(perMinute map[string]int) { s.change(func() { s.setRates(perMinute) }) }

func (s *Server) setRates(perMinute map[string]int) {
	s.rates = map[string]*rate.Limiter{}
	for group, n := range perMinute {
		limiter := &rate.Limiter{Now: s.options.Now}
		limiter.Set(rate.Quota{Minute: n})
		s.rates[group] = limiter
	}
}

// SetQuota limits the objects of a metric in a project; a negative limit is none.
func (s *Server) SetQuota(project, metric string, limit int) {
	s.change(func() {
		if limit < 0 {
			delete(s.store.project(project).quotas, metric)
			return
		}
		s.store.project(project).quotas[metric] = limit
	})
}
