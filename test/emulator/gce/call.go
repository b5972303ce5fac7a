package gce

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

// call is one request to the API. It is answered with the server's lock held.
type call struct {
	s       *Server
	store   *store
	r       *http.Request
	method  string // as in "instances.get"
	spec    *discovery.Method
	kind    *kind
	verb    string
	params  map[string]string
	query   url.Values
	project *Project
	scope   string // "global", "regions/r" or "zones/z"
	body    fields // nil without a body
}

// handler answers a call with a value that can be encoded.
type handler func(*call) (any, error)

// generic are the verbs that all kinds share.
var generic map[string]handler

// special are the methods that are not one of the shared verbs.
var special map[string]handler

func init() { // not in the declarations: the handlers look methods up
	generic = map[string]handler{
		"get": (*call).get, "list": (*call).list, "aggregatedList": (*call).aggregate,
		"insert": (*call).insert, "delete": (*call).remove, "update": (*call).update, "patch": (*call).patch, "setLabels": (*call).setLabels,
	}
	special = map[string]handler{
		"instances.start": turn("RUNNING", "lastStartTimestamp"), "instances.stop": turn("TERMINATED", "lastStopTimestamp"), "instances.setTags": setTags,
		"forwardingRules.setTarget":     setTarget,
		"targetPools.addInstance":       editPool("instances", "instance", "instances", added),
		"targetPools.removeInstance":    editPool("instances", "instance", "instances", without("pool/member")),
		"targetPools.addHealthCheck":    editPool("healthChecks", "healthCheck", "httpHealthChecks", added),
		"targetPools.removeHealthCheck": editPool("healthChecks", "healthCheck", "httpHealthChecks", without("pool/check-member")),
		"targetPools.getHealth":         poolHealth, "regionBackendServices.getHealth": backendHealth,
		"instanceGroups.listInstances": listMembers, "instanceGroups.addInstances": addMembers,
		"instanceGroups.removeInstances": removeMembers, "instanceGroups.setNamedPorts": setNamedPorts,
		"networkEndpointGroups.attachNetworkEndpoints": attachEndpoints,
		"networkEndpointGroups.detachNetworkEndpoints": detachEndpoints,
		"networkEndpointGroups.listNetworkEndpoints":   listEndpoints,
	}
}

// newCall reads a request and checks it against the document.
func (s *Server) newCall(method string, r *http.Request) (*call, error) {
	collection, verb, _ := strings.Cut(method, ".")
	c := &call{s: s, store: s.store, r: r, method: method, verb: verb, kind: kinds[collection], query: r.URL.Query(), params: map[string]string{}, scope: "global"}
	c.spec = discovery.Load().Methods[method]
	if problem := c.parameters(); problem != nil {
		return nil, described(problem)
	}
	project, ok := s.store.projects[s.store.projectID(c.params["project"])]
	if !ok {
		return nil, broken("common/not-found", "The resource 'projects/%s' was not found", c.params["project"])
	}
	c.project = project
	if c.verb != "get" || (c.kind != nil && c.kind.name != "zones" && c.kind.name != "regions") || c.kind == nil {
		for _, scope := range []string{"zone", "region"} {
			if name := c.params[scope]; name != "" {
				c.scope = scope + "s/" + name
			}
		}
	}
	if c.scope != "global" && s.store.byPath["projects/"+project.id+"/"+c.scope] == nil {
		return nil, broken("common/not-found", "The resource 'projects/%s/%s' was not found", project.id, c.scope)
	}
	return c, c.readBody()
}

// system are the query parameters of every Google API.
var system = []string{"alt", "prettyPrint", "fields", "key", "quotaUser", "$.xgafv", "callback", "access_token", "oauth_token", "uploadType", "upload_protocol", "userIp"}

func (c *call) parameters() *discovery.Problem {
	for name, p := range c.spec.Parameters {
		if p.Location != "path" {
			continue
		}
		c.params[name] = c.r.PathValue(name)
		if problem := discovery.Load().Parameter(c.method, name, c.params[name]); problem != nil {
			return problem
		}
	}
	for name, values := range c.query {
		if slices.Contains(system, name) {
			continue
		}
		for _, value := range values {
			if problem := discovery.Load().Parameter(c.method, name, value); problem != nil {
				return problem
			}
		}
	}
	return nil
}

func (c *call) readBody() error {
	data, err := io.ReadAll(c.r.Body)
	if err != nil {
		return &problem{status: http.StatusBadRequest, reason: "badRequest", message: err.Error()}
	}
	if c.spec.Request == "" {
		if len(strings.TrimSpace(string(data))) > 0 && string(data) != "{}" {
			return &problem{status: http.StatusBadRequest, reason: "badRequest", message: "The method takes no body."}
		}
		return nil
	}
	value, err := decode(data)
	body, ok := value.(fields)
	if err != nil || !ok {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("the body is no JSON object")
		}
		return &problem{status: http.StatusBadRequest, reason: "parseError", message: "Parse Error: " + err.Error()}
	}
	var stored fields
	if r := c.store.byPath[c.target()]; r != nil && c.spec.Request == r.kind.schema && c.verb != "insert" {
		stored = c.store.view(r)
	}
	if problem := discovery.Load().Check(c.method, body, stored); problem != nil {
		return described(problem)
	}
	c.body = body
	return nil
}

// collection is the path of the kind's objects in the call's scope.
func (c *call) collection() string {
	if c.kind.name == "zones" || c.kind.name == "regions" {
		return "projects/" + c.project.id + "/" + c.kind.name
	}
	return "projects/" + c.project.id + "/" + c.scope + "/" + c.kind.segment()
}

// target is the path of the object that the path of the request names, "" for none. An object may
// be named by its number.
func (c *call) target() string {
	if c.kind == nil {
		return ""
	}
	if c.kind.name == "projects" {
		return "projects/" + c.project.id
	}
	_, after, _ := strings.Cut(c.spec.Path, c.kind.segment()+"/{")
	parameter, _, _ := strings.Cut(after, "}")
	name := c.params[parameter]
	if name == "" {
		return ""
	}
	path := c.collection() + "/" + name
	if c.store.byPath[path] == nil && name[0] >= '0' && name[0] <= '9' {
		for _, r := range c.store.in(c.collection()) {
			if text(r.fields, "id") == name {
				return r.path
			}
		}
	}
	return path
}

// found returns the object that the request names.
func (c *call) found() (*resource, error) {
	r := c.store.byPath[c.target()]
	if r == nil {
		return nil, broken("common/not-found", "The resource '%s' was not found", c.target())
	}
	return r, nil
}

func (c *call) get() (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	return c.store.view(r), nil
}
