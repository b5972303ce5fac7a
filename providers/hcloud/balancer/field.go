package balancer

import (
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Fields of resources, by their names in the API. Values that are objects there have the types of the client library.
var (
	fieldName   = cloud.NewField[string]("name")
	fieldLabels = cloud.NewField[map[string]string]("labels")
	// fieldBalancer is the load balancer that a part belongs to, which is in the path of requests.
	fieldBalancer = cloud.NewField[cloud.Reference]("load_balancer")

	// of a load balancer
	fieldType        = cloud.NewField[string]("load_balancer_type")
	fieldAlgorithm   = cloud.NewField[string]("algorithm")
	fieldLocation    = cloud.NewField[string]("location")
	fieldNetworkZone = cloud.NewField[string]("network_zone")

	// of a managed certificate
	fieldDomains  = cloud.NewField[[]string]("domain_names")
	fieldIssuance = cloud.NewField[string]("issuance")

	// of an attachment to a network
	fieldNetwork   = cloud.NewField[int64]("network")
	fieldNetworkIP = cloud.NewField[string]("ip")
	fieldIPRange   = cloud.NewField[string]("ip_range")

	// of the label that names the network
	fieldLabelled = cloud.NewField[string]("network")

	// of a service
	fieldProtocol        = cloud.NewField[string]("protocol")
	fieldListenPort      = cloud.NewField[int]("listen_port")
	fieldDestinationPort = cloud.NewField[int]("destination_port")
	fieldProxyProtocol   = cloud.NewField[bool]("proxyprotocol")
	fieldHTTP            = cloud.NewField[*schema.LoadBalancerActionAddServiceRequestHTTP]("http")
	fieldHealthCheck     = cloud.NewField[schema.LoadBalancerActionAddServiceRequestHealthCheck]("health_check")
	// fieldCertificates are part of "http" in the API. They are a field of their own because they can be those of a resource.
	fieldCertificates = cloud.NewField[[]cloud.Reference]("certificates")

	// of a target
	fieldTargetType   = cloud.NewField[string]("type")
	fieldServer       = cloud.NewField[schema.LoadBalancerActionAddTargetRequestServer]("server")
	fieldTargetIP     = cloud.NewField[schema.LoadBalancerActionAddTargetRequestIP]("ip")
	fieldUsePrivateIP = cloud.NewField[bool]("use_private_ip")

	// of the reverse DNS name of an address
	fieldAddress = cloud.NewField[cloud.Reference]("ip")
	fieldDNSPtr  = cloud.NewField[string]("dns_ptr")
)

// The fields that parts are made with.
var (
	serviceFields = []cloud.AnyField{fieldProtocol, fieldListenPort, fieldDestinationPort, fieldProxyProtocol, fieldHTTP, fieldHealthCheck}
	targetFields  = []cloud.AnyField{fieldTargetType, fieldServer, fieldTargetIP, fieldUsePrivateIP}
	reverseFields = []cloud.AnyField{fieldAddress, fieldDNSPtr}
)

// part is a resource that belongs to the load balancer.
func part(kind, key string, fields ...cloud.FieldValue) cloud.Resource {
	return cloud.Resource{Kind: kind, Key: key, ID: key, Fields: cloud.FieldsOf(fields...).With(fieldBalancer.Is(cloud.To(theBalancer)))}
}
