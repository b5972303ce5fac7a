package controlplane

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// AuditEvent is one request as the API server saw it: the part of
// audit.k8s.io/v1 Event that tests look at.
type AuditEvent struct {
	AuditID    string `json:"auditID"`
	Stage      string `json:"stage"` // ResponseStarted while a watch runs, else ResponseComplete
	Verb       string `json:"verb"`
	RequestURI string `json:"requestURI"`
	UserAgent  string `json:"userAgent"`
	User       struct {
		Username string   `json:"username"`
		Groups   []string `json:"groups"`
	} `json:"user"`
	// Object is zero for requests that are not about a resource.
	Object struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Response struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"responseStatus"`
	// The bodies are empty unless Audit.Bodies has the resource.
	RequestObject  json.RawMessage   `json:"requestObject"`
	ResponseObject json.RawMessage   `json:"responseObject"`
	Received       time.Time         `json:"requestReceivedTimestamp"`
	StageAt        time.Time         `json:"stageTimestamp"`
	Annotations    map[string]string `json:"annotations"`
}

// WriteVerbs returns the verbs that change objects.
func WriteVerbs() []string {
	return []string{"create", "update", "patch", "delete", "deletecollection"}
}

// AuditFilter selects events. Zero fields select everything.
type AuditFilter struct {
	// User is the exact user name, as in system:serviceaccount:<ns>:<name>.
	User string
	// UserAgent is contained in the user agent.
	UserAgent string
	// Verbs holds the verb of the event.
	Verbs []string
	// Resource is written as in RBAC rules, with the API group where there is
	// one: "nodes", "nodes/status", "leases.coordination.k8s.io". Subresources
	// count only when named; "nodes/*" selects nodes with all of them.
	Resource string
	// Namespace and Name are those of the object.
	Namespace, Name string
	// Since leaves out requests that came earlier.
	Since time.Time
}

// Match reports whether f selects e.
func (f AuditFilter) Match(e *AuditEvent) bool {
	return (f.User == "" || f.User == e.User.Username) &&
		strings.Contains(e.UserAgent, f.UserAgent) &&
		(f.Verbs == nil || slices.Contains(f.Verbs, e.Verb)) &&
		(f.Resource == "" || f.matchResource(e)) &&
		(f.Namespace == "" || f.Namespace == e.Object.Namespace) &&
		(f.Name == "" || f.Name == e.Object.Name) &&
		!e.Received.Before(f.Since)
}

func (f AuditFilter) matchResource(e *AuditEvent) bool {
	name, subresource, _ := strings.Cut(f.Resource, "/")
	resource, group := splitResource(name)
	return resource == e.Object.Resource && group == e.Object.APIGroup &&
		(subresource == "*" || subresource == e.Object.Subresource)
}

// splitResource takes "leases.coordination.k8s.io" apart. The group of the
// core API is "".
func splitResource(name string) (resource, group string) {
	resource, group, _ = strings.Cut(name, ".")
	return resource, group
}

// AuditEvents returns the requests that filter selects, one event each, in the
// order in which they were answered. A request is there once its client has
// the answer. It is an error when Options.Audit was not set.
func (cp *ControlPlane) AuditEvents(filter AuditFilter) ([]AuditEvent, error) {
	if cp.opts.Audit == nil {
		return nil, errors.New("read the audit log: Options.Audit is not set")
	}
	log, err := os.Open(cp.auditLogPath())
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer log.Close()
	var events []AuditEvent
	seen := map[string]int{} // index in events by audit ID
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil // what is left is a line being written
		}
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		var event AuditEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("parse the audit log: %w", err)
		}
		if !filter.Match(&event) {
			continue
		}
		if i, ok := seen[event.AuditID]; ok {
			events[i] = event // a watch that has ended
			continue
		}
		seen[event.AuditID] = len(events)
		events = append(events, event)
	}
}
