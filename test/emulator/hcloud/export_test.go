package hcloud

import (
	"reflect"
	"strings"
)

// Views are the answers and requests of the emulator by the name of the client library's type for them.
var Views = map[string]reflect.Type{
	"Action":                                     reflect.TypeFor[action](),
	"Location":                                   reflect.TypeFor[location](),
	"Server":                                     reflect.TypeFor[machineView](),
	"Network":                                    reflect.TypeFor[networkView](),
	"LoadBalancerType":                           reflect.TypeFor[BalancerType](),
	"LoadBalancer":                               reflect.TypeFor[Balancer](),
	"Certificate":                                reflect.TypeFor[Certificate](),
	"Meta":                                       reflect.TypeFor[meta](),
	"ErrorResponse":                              reflect.TypeFor[errorBody](),
	"NetworkActionAddRouteRequest":               reflect.TypeFor[Route](),
	"NetworkActionDeleteRouteRequest":            reflect.TypeFor[Route](),
	"CertificateCreateRequest":                   reflect.TypeFor[certificateRequest](),
	"CertificateUpdateRequest":                   reflect.TypeFor[renaming](),
	"LoadBalancerCreateRequest":                  reflect.TypeFor[balancerRequest](),
	"LoadBalancerUpdateRequest":                  reflect.TypeFor[renaming](),
	"LoadBalancerActionAddTargetRequest":         reflect.TypeFor[targetRequest](),
	"LoadBalancerActionRemoveTargetRequest":      reflect.TypeFor[targetRequest](),
	"LoadBalancerActionAddServiceRequest":        reflect.TypeFor[serviceRequest](),
	"LoadBalancerActionUpdateServiceRequest":     reflect.TypeFor[serviceRequest](),
	"LoadBalancerDeleteServiceRequest":           reflect.TypeFor[servicePort](),
	"LoadBalancerActionChangeProtectionRequest":  reflect.TypeFor[protectionRequest](),
	"LoadBalancerActionChangeAlgorithmRequest":   reflect.TypeFor[Algorithm](),
	"LoadBalancerActionChangeTypeRequest":        reflect.TypeFor[typeRequest](),
	"LoadBalancerActionAttachToNetworkRequest":   reflect.TypeFor[attachRequest](),
	"LoadBalancerActionDetachFromNetworkRequest": reflect.TypeFor[detachRequest](),
	"LoadBalancerActionChangeDNSPtrRequest":      reflect.TypeFor[dnsRequest](),
}

// Null is the type of fields that are always null.
var Null = reflect.TypeFor[null]()

// Reference is the type of an id or a name.
var Reference = reflect.TypeFor[reference]()

// Words are what a rule's Where is made of: groups of calls, methods, paths and their last parts.
func Words() map[string]bool {
	out := map[string]bool{"all": true, "writes": true, "lists": true, "services": true, "targets": true}
	for _, routes := range []map[string]handler{coreRoutes, networkRoutes, balancerRoutes, certificateRoutes} {
		for pattern := range routes {
			method, path, _ := strings.Cut(pattern, " ")
			out[method], out[path], out[path[strings.LastIndex(path, "/")+1:]] = true, true, true
		}
	}
	return out
}
