package gce_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// A project that is named twice has every instance once.
func TestProjectNamedTwice(t *testing.T) {
	var warned []string
	l := newLab(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "batch-project, test-project, batch-project"}, warned: &warned})
	l.AddMachine("web-1")
	l.server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "batch-project"}}, Instances: []emulator.Instance{{Project: "batch-project", Name: "web-2"}}})
	list, err := l.driver.Machines.List(t.Context())
	l.must(err)
	if !list.Complete || len(list.Items) != 2 {
		t.Errorf("complete %t: %q", list.Complete, ids(list.Items))
	}
	for _, name := range []string{"web-1", "web-2"} {
		if found, err := l.driver.Machines.FindByName(t.Context(), name); err != nil || len(found) != 1 {
			t.Errorf("%s: %q, %v", name, ids(found), err)
		}
	}
	if len(warned) != 2 || !strings.Contains(warned[0], "test-project") || !strings.Contains(warned[1], "batch-project") {
		t.Errorf("warnings %q", warned)
	}
}

// unread is a lab whose account has no role in its second project.
func unread(t *testing.T, refuse func(*emulator.Server)) lab {
	l := newLab(t, client{env: map[string]string{"GCE_NODE_PROJECTS": "batch-project, third-project"}})
	for _, name := range []string{"web-1", "twin", "twin"} {
		l.AddMachine(name)
	}
	l.server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "batch-project"}, {ID: "third-project"}}, Instances: []emulator.Instance{
		{Project: "batch-project", Name: "web-1"}, {Project: "third-project", Name: "web-3"},
	}})
	refuse(l.server)
	return l
}

// One project that cannot be read hides no instance of the others, and proves nothing of its own.
func TestProjectThatCannotBeRead(t *testing.T) {
	const path = "/compute/v1/projects/batch-project/**"
	answer := func(status int, reason string) func(*emulator.Server) {
		return func(server *emulator.Server) {
			server.AddFault(fault.Fault{Path: path, Status: status, Body: refusal(status, reason, "").Fault.Body})
		}
	}
	for name, test := range map[string]struct {
		refuse func(*emulator.Server)
		class  cloud.Class
	}{
		"no role":    {answer(http.StatusForbidden, "forbidden"), cloud.FailureUnauthorized},
		"no project": {answer(http.StatusNotFound, "notFound"), cloud.FailureTransient},
	} {
		t.Run(name, func(t *testing.T) {
			l := unread(t, test.refuse)
			list, err := l.driver.Machines.List(t.Context())
			l.must(err)
			want := []cloud.InstanceID{"third-project/us-central1-a/web-3", "us-central1-a/twin", "us-central1-a/web-1", "us-central1-b/twin"}
			if list.Complete || !slices.Equal(ids(list.Items), want) {
				t.Errorf("complete %t: %q, want %q", list.Complete, ids(list.Items), want)
			}
			for _, node := range []string{"web-1", "web-3", "none"} {
				found, err := l.driver.Machines.FindByName(t.Context(), node)
				if class := l.driver.Classify(err).Class; err == nil || found != nil || class != test.class ||
					!strings.Contains(err.Error(), "batch-project") || !strings.Contains(err.Error(), "compute.instances.list") {
					t.Errorf("%s: %q, class %s: %v", node, ids(found), class, err)
				}
			}
			// More are found than there may be, whatever the project has.
			if found, err := l.driver.Machines.FindByName(t.Context(), "twin"); err != nil || len(found) != 2 {
				t.Errorf("twin: %q, %v", ids(found), err)
			}
			// A name that says where its instance is needs no other project.
			if found, err := l.driver.Machines.FindByName(t.Context(), "web-1.c.test-project.internal"); err != nil || len(found) != 1 {
				t.Errorf("%q, %v", ids(found), err)
			}
			_, err = l.driver.Machines.Get(t.Context(), "batch-project/us-central1-a/web-1")
			if class := l.driver.Classify(err).Class; class != test.class || !strings.Contains(err.Error(), "batch-project") {
				t.Errorf("class %s: %v", class, err)
			}
		})
	}
}

// What passes is no reason to go on without a project, and neither is the own project.
func TestProjectWithoutAnAnswer(t *testing.T) {
	for name, f := range map[string]fault.Fault{
		"server error": {Path: "/compute/v1/projects/batch-project/**", Status: http.StatusServiceUnavailable},
		"throttled":    {Path: "/compute/v1/projects/batch-project/**", Status: http.StatusForbidden, Body: refusal(http.StatusForbidden, "rateLimitExceeded", "").Fault.Body},
		"own project":  {Path: "/compute/v1/projects/test-project/**", Status: http.StatusForbidden},
	} {
		l := unread(t, func(server *emulator.Server) { server.AddFault(f) })
		if list, err := l.driver.Machines.List(t.Context()); err == nil || !strings.Contains(err.Error(), strings.Split(f.Path, "/")[4]) {
			t.Errorf("%s: %q, %v", name, ids(list.Items), err)
		}
	}
}
