package aws

import (
	"net/http"
	"slices"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

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
			FindsInLists:   true,
			Immutable:      []string{"type", cloud.FieldScope, cloud.FieldName},
			Fields:         serviceFields(),
		},
		// DescribeInstances takes 1,000 machines a page. With ids there are no pages, and AWS
		// advises against long lists of them. An instance may have a hundred addresses;
		// the SDK decodes XML as it comes in.
		Limits:   cloud.Limits{PageSize: 1000, GetBatch: 500, AnswerSize: 64 << 20, APIs: apis()},
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

// The parts of AWS' API that are limited apart:
//
//	part                     why
//	instances                EC2 limits each of its calls by itself. New Nodes wait for these; many load balancers need many security groups,
//	                         which take nothing from them
//	classic and network,     each generation of load balancers has its own limits, one for reads and others for changes: refused changes
//	 reads and changes       hold no list back
//
// Sources: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html and
// https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html.
const (
	instancesAPI      = "instances"
	classicReadsAPI   = "classic-reads"
	classicChangesAPI = "classic-changes"
	networkReadsAPI   = "network-reads"
	networkChangesAPI = "network-changes"
)

func apis() (all []cloud.API) {
	for _, name := range []string{instancesAPI, classicReadsAPI, classicChangesAPI, networkReadsAPI, networkChangesAPI} {
		all = append(all, cloud.API{Name: name})
	}
	return all
}

// API says which part of AWS' API a request is of: "" is for the rest of EC2 and the few requests for credentials. The SDK leaves the
// names of the service and of the operation in the context.
func API(r *http.Request) string {
	service, operation := awsmiddleware.GetServiceID(r.Context()), awsmiddleware.GetOperationName(r.Context())
	reads := strings.HasPrefix(operation, "Describe")
	switch {
	case service == ec2.ServiceID && strings.HasPrefix(operation, "DescribeInstance"):
		return instancesAPI
	case service == elasticloadbalancing.ServiceID && reads:
		return classicReadsAPI
	case service == elasticloadbalancing.ServiceID:
		return classicChangesAPI
	case service == elasticloadbalancingv2.ServiceID && reads:
		return networkReadsAPI
	case service == elasticloadbalancingv2.ServiceID:
		return networkChangesAPI
	}
	return ""
}

// Annotations returns the provider's annotations.
func Annotations() annotation.Set { return option.All() }
