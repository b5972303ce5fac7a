package run

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// keeping is a cloud with an API whose answers are kept.
var keeping = transport.Options{
	Cloud:  "c",
	Limits: cloud.Limits{RequestsPerHour: 3600, APIs: []cloud.API{{Name: "robot", RequestsPerHour: 200, Keep: 5 * time.Minute}}},
	API:    func(*http.Request) string { return "robot" },
}

// answers is an API whose answers have that text.
type answers func() string

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a())), Request: request}, nil
}

// roster is a driver whose machine has the name of the answer of an API.
type roster struct {
	cloud.Instances
	client *http.Client
}

func (r roster) names(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cloud.test/robot/server", nil)
	if err != nil {
		return "", err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if string(body) == "nonsense" {
		return "", errors.New("no list")
	}
	return string(body), err
}

func (r roster) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	found, err := r.names(ctx)
	if found != name || err != nil {
		return nil, err
	}
	return []cloud.Instance{{Name: name}}, nil
}

func (r roster) List(ctx context.Context) (cloud.InstanceList, error) {
	found, err := r.names(ctx)
	return cloud.InstanceList{Items: []cloud.Instance{{Name: found}}, Complete: err == nil}, nil
}

// A machine that came after a kept answer is found, and an answer without sense does not stay.
func TestAbsenceIsAskedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent, names := 0, "old"
		client := &http.Client{Transport: transport.New(answers(func() string { sent++; return names }), keeping)}
		c := &caller{classify: func(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnreadable} }, metrics: metric.Discard{}}
		machines := &instances{caller: c, next: roster{client: client}}
		finds := func(name string, want, requests int) {
			t.Helper()
			before := sent
			found, err := machines.FindByName(t.Context(), name)
			if len(found) != want || err != nil || sent-before != requests {
				t.Errorf("%s: found %v, %v with %d requests", name, found, err, sent-before)
			}
		}
		finds("old", 1, 1)
		finds("old", 1, 0)
		names = "new"
		finds("new", 1, 1)
		finds("other", 0, 1)
		names = "nonsense"
		time.Sleep(time.Hour)
		if list, err := machines.List(t.Context()); err != nil || list.Complete {
			t.Errorf("nonsense: %+v, %v", list, err)
		}
		names = "new"
		if list, err := machines.List(t.Context()); err != nil || !list.Complete {
			t.Errorf("after it: %+v, %v", list, err)
		}
	})
}
