package aws

import (
	"net/http"
	"slices"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "aws",
		Title:             "Amazon Web Services",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{instance.Scheme},
		ProviderIDForm:    instance.Scheme + ":///<zone>/<instance id>",
		Capabilities: cloud.Capabilities{
			Balancers: true,
			Routes:    true,
			// A route has neither name nor tags.
			RoutesUntagged: true,
			Hostnames:      true,
			Tags:           true,
			Protocols:      []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
			NodePorts:      true,
			SourceRanges:   true,
			Recalls:        true,
			Immutable:      []string{"type", cloud.FieldScope, cloud.FieldName},
		},
		// DescribeInstances takes 1,000 machines a page. With ids there are no pages, and AWS
		// advises against long lists of them. An instance may have a hundred addresses;
		// the SDK decodes XML as it comes in.
		Limits:   cloud.Limits{PageSize: 1000, GetBatch: 500, AnswerSize: 64 << 20, APIs: []cloud.API{{Name: balancingAPI}}},
		Settings: config.Declared(),
		// The SDK has one for each of AWS's services, many of which have names of three letters.
		Variables: cloud.Variables{Others: []string{"AWS_ENDPOINT_URL_*"}},
		Secret:    "aws-cloud-controller-manager",
		ConfigFile: &cloud.ConfigFile{
			Value: "cloudConf", Key: "cloud.conf",
			Doc:  "The cloud.conf of the upstream CCM, unchanged. Not needed on an instance that has the cluster's tag.",
			Keys: config.Keys(),
		},
	}
}

// reads are the beginnings of the names of operations that change nothing. Taking on a role
// is one.
var reads = []string{"Describe", "Get", "AssumeRole"}

// ReadOnly says which requests only read: all are POSTs to the same path, and the SDK leaves the
// name of the operation in the context. A GET, such as one to a container's credentials, reads,
// and so does the PUT for the token without which a machine's metadata says nothing.
func ReadOnly(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodPut:
		return r.URL.Path == "/latest/api/token"
	}
	operation := awsmiddleware.GetOperationName(r.Context())
	return slices.ContainsFunc(reads, func(prefix string) bool { return strings.HasPrefix(operation, prefix) })
}

// Throttled recognises the answers with which AWS throttles: with status 400 or 503 and a code.
func Throttled(answer *http.Response) bool { return session.Throttled(answer) }

// balancingAPI is the API of load balancers, of both generations. AWS limits it apart from EC2:
// https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/request-throttling.html
const balancingAPI = "elasticloadbalancing"

// API says which part of AWS' API a request is of: "" is for EC2 and the few requests for credentials. The SDK leaves the
// name of the service in the context.
func API(r *http.Request) string {
	if strings.HasPrefix(awsmiddleware.GetServiceID(r.Context()), elasticloadbalancing.ServiceID) {
		return balancingAPI
	}
	return ""
}

// Annotations returns the provider's annotations.
func Annotations() annotation.Set { return option.All() }
