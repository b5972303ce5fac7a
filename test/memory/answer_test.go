//go:build !race

// Package memory holds what answers of a cloud may make of the memory of this process.
package memory

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/aws"
)

// gcPercent is what internal/app sets.
const gcPercent = 25

// most is what the heap may take from the system, whatever a cloud answers.
const most = 200 << 20

// TestHostileAnswersOfEC2 lets the SDK decode the worst that the limit lets through, of each part of
// an answer that becomes much larger in memory than it is as text.
func TestHostileAnswersOfEC2(t *testing.T) {
	debug.SetGCPercent(gcPercent)
	for name, s := range map[string]struct{ head, item, tail, before string }{
		"empty instances":             {"", "<item/>", "", ""},
		"instances":                   {"", "<item><instanceId>i</instanceId></item>", "", ""},
		"interfaces":                  {"<item><networkInterfaceSet>", "<item/>", "</networkInterfaceSet></item>", ""},
		"addresses":                   {"<item><networkInterfaceSet><item><privateIpAddressesSet>", "<item/>", "</privateIpAddressesSet></item></networkInterfaceSet></item>", ""},
		"tags":                        {"<item><tagSet>", "<item><key/><value/></item>", "</tagSet></item>", ""},
		"nesting":                     {"", "<a>", "", ""},
		"instances, a comment before": {"<!-- <a><a><a><a><a><a><a><a> -->", "<item/>", "", ""},
		"attributes":                  {"<item ", `b="" `, "/>", ""},
		"text":                        {"<instanceId>", "a/>", "</instanceId>", ""},
		"a byte before the root":      {"", "<item/>", "", "a"},
		"an instruction before":       {"", "<item/>", "", `<?a b="/>"?>`},
	} {
		t.Run(name, func(t *testing.T) {
			// The first one is too long, the second one is as long as may be.
			items := provider.Descriptor().Limits.MaxAnswer() / len(s.item)
			for range 2 {
				debug.FreeOSMemory()
				if items <= 0 {
					t.Fatalf("nothing was read of the first answer")
				}
				read := decode(t, s.before, s.head, s.item, s.tail, items)
				items = (read - 1<<16) / len(s.item)
			}
			took := heap()
			if t.Logf("the heap took %d MiB", took>>20); took > most {
				t.Errorf("at most %d MiB are allowed", most>>20)
			}
		})
	}
}

// A page of a thousand instances, each with the addresses that a network plugin gives its pods, is
// read: 58 is what an m5.xlarge has
// (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/AvailableIpPerENI.html).
func TestLargestPageOfEC2(t *testing.T) {
	const instances, fields, tags, addresses = 1000, 60, 40, 58
	debug.SetGCPercent(gcPercent)
	address := "<item><privateIpAddress>10.100.200.100</privateIpAddress><privateDnsName>ip-10-100-200-100.eu-central-1.compute.internal</privateDnsName><primary>false</primary></item>"
	instance := "<item>" + strings.Repeat("<aFieldOfInstance>a value of twenty</aFieldOfInstance>", fields) + "<instanceId>i-0123456789abcdef0</instanceId><tagSet>" +
		strings.Repeat("<item><key>kubernetes.io/cluster/a</key><value>a value of some length</value></item>", tags) + "</tagSet>" +
		"<networkInterfaceSet><item><privateIpAddressesSet>" + strings.Repeat(address, addresses) + "</privateIpAddressesSet></item></networkInterfaceSet></item>"
	if read := decode(t, "", "", instance, "", instances); read < instances*len(instance) {
		t.Errorf("%d bytes were read of %d", read, instances*len(instance))
	}
}

// heap is the most that the heap had from the system so far.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapSys
}

// decode lets the SDK read an answer, with root before its root element, and returns how many bytes of
// it were read.
func decode(t *testing.T, root, head, item, tail string, items int) int {
	t.Helper()
	const begin, end = "<DescribeInstancesResponse><reservationSet><item><instancesSet>", "</instancesSet></item></reservationSet></DescribeInstancesResponse>"
	body := &counted{Reader: io.MultiReader(strings.NewReader(root+begin+head), &repeated{text: []byte(item), left: items * len(item)}, strings.NewReader(tail+end))}
	client := ec2.New(ec2.Options{
		Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: transport.Guard(answers{body}, provider.Descriptor().Limits)},
	})
	out, err := client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
	t.Logf("%d items, %d bytes were read: %.200s", items, body.read, fmt.Sprint(err))
	runtime.KeepAlive(out)
	return body.read
}

type answers struct{ body io.Reader }

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml"}}, Request: request, Body: io.NopCloser(a.body),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

type counted struct {
	io.Reader
	read int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

// repeated is a text again and again.
type repeated struct {
	text []byte
	at   int
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), r.left)]
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	r.left -= n
	return n, nil
}
