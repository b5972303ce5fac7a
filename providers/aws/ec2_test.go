package aws

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// fakeEC2 answers with what EC2 answers, in the shapes of its API reference.
type fakeEC2 struct {
	t *testing.T
	// answers by action.
	answers map[string]func(form url.Values) (status int, body string)

	mu    sync.Mutex
	calls []url.Values
}

// newFakeEC2 returns a driver of cluster "c" in vpc-1 of eu-west-1, and what it talks to.
func newFakeEC2(t *testing.T) (*Driver, *fakeEC2) {
	fake := &fakeEC2{t: t, answers: map[string]func(url.Values) (int, string){}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	d := &Driver{config: config.Config{
		Region: "eu-west-1", Cluster: tag.Cluster{ID: "c", VPC: "vpc-1"}, Families: []string{config.IPv4},
		TopologyPattern: regexp.MustCompile(`^(hpc|trn|p)[0-9]+[a-z]*(-[a-z0-9]+)?(\.[0-9a-z]*)$`),
	}}
	d.Compute = ec2.New(ec2.Options{
		Region: "eu-west-1", BaseEndpoint: awssdk.String(server.URL), Credentials: awssdk.AnonymousCredentials{}, Retryer: awssdk.NopRetryer{},
		HTTPClient: &http.Client{Transport: session.Checked(server.Client().Transport)},
	})
	return d, fake
}

func (f *fakeEC2) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		f.t.Errorf("parsing a request: %v", err)
	}
	action := r.PostForm.Get("Action")
	f.mu.Lock()
	f.calls = append(f.calls, r.PostForm)
	answer := f.answers[action]
	f.mu.Unlock()
	if answer == nil {
		f.t.Errorf("nothing answers %s", action)
		answer = refusal("UnauthorizedOperation")
	}
	status, body := answer(r.PostForm)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// answer makes an action answer with the inside of its element.
func (f *fakeEC2) answer(action string, body func(form url.Values) string) {
	f.answers[action] = func(form url.Values) (int, string) {
		return http.StatusOK, fmt.Sprintf(`<%[1]sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>%[2]s</%[1]sResponse>`, action, body(form))
	}
}

// refusal answers with an error of the API.
func refusal(code string) func(url.Values) (int, string) {
	return func(url.Values) (int, string) {
		return http.StatusBadRequest, `<Response><Errors><Error><Code>` + code + `</Code><Message>no</Message></Error></Errors><RequestID>r</RequestID></Response>`
	}
}

// made returns the calls of an action.
func (f *fakeEC2) made(action string) (calls []url.Values) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, form := range f.calls {
		if form.Get("Action") == action {
			calls = append(calls, form)
		}
	}
	return calls
}

// filters returns the values of a call's filters by name.
func filters(form url.Values) map[string][]string {
	byName := map[string][]string{}
	for n := 1; form.Has(fmt.Sprintf("Filter.%d.Name", n)); n++ {
		byName[form.Get(fmt.Sprintf("Filter.%d.Name", n))] = numbered(form, fmt.Sprintf("Filter.%d.Value", n))
	}
	return byName
}

// numbered returns a numbered parameter.
func numbered(form url.Values, name string) (values []string) {
	for n := 1; form.Has(fmt.Sprintf("%s.%d", name, n)); n++ {
		values = append(values, form.Get(fmt.Sprintf("%s.%d", name, n)))
	}
	return values
}

// element writes what encoding/xml cannot get wrong.
func element(name, text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return "<" + name + ">" + b.String() + "</" + name + ">"
}

// items writes a set.
func items(name string, each ...string) string {
	if len(each) == 0 {
		return "<" + name + "/>"
	}
	return "<" + name + "><item>" + strings.Join(each, "</item><item>") + "</item></" + name + ">"
}

// machineXML is an instance in one private network, with the cluster's tag.
func machineXML(id, state, more string) string {
	return element("instanceId", id) + element("instanceType", "t3.small") + "<instanceState>" + element("name", state) + "</instanceState>" +
		"<placement>" + element("availabilityZone", "eu-west-1a") + element("availabilityZoneId", "euw1-az1") + "</placement>" +
		element("vpcId", "vpc-1") + element("subnetId", "subnet-1") + element("privateDnsName", "ip-10-0-0-1.eu-west-1.compute.internal") +
		items("tagSet", element("key", "kubernetes.io/cluster/c")+element("value", "owned")) +
		items("groupSet", element("groupId", "sg-2"), element("groupId", "sg-1")) + more
}

// reservations writes instances, each in its own.
func reservations(instances ...string) string {
	each := make([]string, len(instances))
	for n, one := range instances {
		each[n] = items("instancesSet", one)
	}
	return items("reservationSet", each...)
}

// fleet answers DescribeInstances by id: with a refusal of all when one of them is unknown.
func (f *fakeEC2) fleet(states map[string]string) {
	f.answers["DescribeInstances"] = func(form url.Values) (int, string) {
		var found []string
		for _, id := range numbered(form, "InstanceId") {
			state, known := states[id]
			if !known {
				return refusal("InvalidInstanceID.NotFound")(form)
			}
			found = append(found, machineXML(id, state, ""))
		}
		return http.StatusOK, `<DescribeInstancesResponse>` + reservations(found...) + `</DescribeInstancesResponse>`
	}
}
