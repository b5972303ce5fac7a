// Package ec2test is a server for tests that answers as EC2 does.
package ec2test

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go/middleware"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
)

// Server answers with what EC2 answers, in the shapes of its API reference.
type Server struct {
	t *testing.T
	// Answers by action.
	Answers map[string]func(form url.Values) (status int, body string)

	mu    sync.Mutex
	Calls []url.Values
}

// New returns a client of EC2 in eu-west-1, and what it talks to.
func New(t *testing.T) (*ec2.Client, *Server) {
	fake := &Server{t: t, Answers: map[string]func(url.Values) (int, string){}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	client := ec2.New(ec2.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(server.URL), Credentials: aws.AnonymousCredentials{}, Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: session.Checked(server.Client().Transport)},
	})
	return client, fake
}

func (f *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		f.t.Errorf("parsing a request: %v", err)
	}
	action := r.PostForm.Get("Action")
	f.mu.Lock()
	f.Calls = append(f.Calls, r.PostForm)
	answer := f.Answers[action]
	f.mu.Unlock()
	if answer == nil {
		f.t.Errorf("nothing answers %s", action)
		answer = Refusal("UnauthorizedOperation")
	}
	status, body := answer(r.PostForm)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// Answer makes an action answer with the inside of its element.
func (f *Server) Answer(action string, body func(form url.Values) string) {
	f.Answers[action] = func(form url.Values) (int, string) {
		return http.StatusOK, fmt.Sprintf(`<%[1]sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>%[2]s</%[1]sResponse>`, action, body(form))
	}
}

// Answering are the options of a client, of whatever API, whose operations end in answer before anything is sent. It gets
// their inputs and returns their outputs, as the SDK has them.
func Answering(answer func(input any) (output any, err error)) []func(*middleware.Stack) error {
	return []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("answering", func(
			_ context.Context, in middleware.InitializeInput, _ middleware.InitializeHandler,
		) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
			out.Result, err = answer(in.Parameters)
			return out, metadata, err
		}), middleware.Before)
	}}
}

// Refusal answers with an error of the API.
func Refusal(code string) func(url.Values) (int, string) {
	return func(url.Values) (int, string) {
		return http.StatusBadRequest, `<Response><Errors><Error><Code>` + code + `</Code><Message>no</Message></Error></Errors><RequestID>r</RequestID></Response>`
	}
}

// Made returns the calls of an action.
func (f *Server) Made(action string) (calls []url.Values) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, form := range f.Calls {
		if form.Get("Action") == action {
			calls = append(calls, form)
		}
	}
	return calls
}

// Filters returns the values of a call's filters by name.
func Filters(form url.Values) map[string][]string {
	byName := map[string][]string{}
	for n := 1; form.Has(fmt.Sprintf("Filter.%d.Name", n)); n++ {
		byName[form.Get(fmt.Sprintf("Filter.%d.Name", n))] = Numbered(form, fmt.Sprintf("Filter.%d.Value", n))
	}
	return byName
}

// Numbered returns a numbered parameter.
func Numbered(form url.Values, name string) (values []string) {
	for n := 1; form.Has(fmt.Sprintf("%s.%d", name, n)); n++ {
		values = append(values, form.Get(fmt.Sprintf("%s.%d", name, n)))
	}
	return values
}

// Element writes what encoding/xml cannot get wrong.
func Element(name, text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return "<" + name + ">" + b.String() + "</" + name + ">"
}

// Items writes a set.
func Items(name string, each ...string) string {
	if len(each) == 0 {
		return "<" + name + "/>"
	}
	return "<" + name + "><item>" + strings.Join(each, "</item><item>") + "</item></" + name + ">"
}

// MachineXML is an instance in one private network, with the cluster's tag.
func MachineXML(id, state, more string) string {
	return Element("instanceId", id) + Element("instanceType", "t3.small") + "<instanceState>" + Element("name", state) + "</instanceState>" +
		"<placement>" + Element("availabilityZone", "eu-west-1a") + Element("availabilityZoneId", "euw1-az1") + "</placement>" +
		Element("vpcId", "vpc-1") + Element("subnetId", "subnet-1") + Element("privateDnsName", "ip-10-0-0-1.eu-west-1.compute.internal") +
		Items("tagSet", Element("key", "kubernetes.io/cluster/c")+Element("value", "owned")) +
		Items("groupSet", Element("groupId", "sg-2"), Element("groupId", "sg-1")) + more
}

// Reservations writes instances, each in its own.
func Reservations(instances ...string) string {
	each := make([]string, len(instances))
	for n, one := range instances {
		each[n] = Items("instancesSet", one)
	}
	return Items("reservationSet", each...)
}

// Fleet answers DescribeInstances by id: with a refusal of all when one of them is unknown.
func (f *Server) Fleet(states map[string]string) {
	f.Answers["DescribeInstances"] = func(form url.Values) (int, string) {
		var found []string
		for _, id := range Numbered(form, "InstanceId") {
			state, known := states[id]
			if !known {
				return Refusal("InvalidInstanceID.NotFound")(form)
			}
			found = append(found, MachineXML(id, state, ""))
		}
		return http.StatusOK, `<DescribeInstancesResponse>` + Reservations(found...) + `</DescribeInstancesResponse>`
	}
}
