package resource

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// The fields of resources, by their names in Octavia's API.
var (
	// Of several kinds.
	fieldName         = cloud.NewField[string]("name")
	fieldTags         = cloud.NewField[[]string]("tags")
	fieldProtocol     = cloud.NewField[string]("protocol")
	fieldPort         = cloud.NewField[int]("protocol_port")
	fieldAdminStateUp = cloud.NewField[bool]("admin_state_up")
	fieldBalancer     = cloud.NewField[cloud.Reference]("loadbalancer_id")
	fieldPool         = cloud.NewField[cloud.Reference]("pool_id")

	// Of load balancers.
	fieldDescription   = cloud.NewField[string]("description")
	fieldProvider      = cloud.NewField[string]("provider")
	fieldFlavor        = cloud.NewField[string]("flavor_id")
	fieldZone          = cloud.NewField[string]("availability_zone")
	fieldVIPPort       = cloud.NewField[string](floatingip.PortOfVIP)
	fieldVIPAddress    = cloud.NewField[string]("vip_address")
	fieldVIPSubnet     = cloud.NewField[string]("vip_subnet_id")
	fieldVIPNetwork    = cloud.NewField[string]("vip_network_id")
	fieldAdditionalVIP = cloud.NewField[[]object.AdditionalIP]("additional_vips")

	// Of listeners.
	fieldDefaultPool     = cloud.NewField[cloud.Reference]("default_pool_id")
	fieldConnectionLimit = cloud.NewField[int]("connection_limit")
	fieldTLSContainer    = cloud.NewField[string]("default_tls_container_ref")
	fieldInsertHeaders   = cloud.NewField[map[string]string]("insert_headers")
	fieldAllowedCIDRs    = cloud.NewField[[]string]("allowed_cidrs")
	fieldClientData      = cloud.NewField[int]("timeout_client_data")
	fieldMemberConnect   = cloud.NewField[int]("timeout_member_connect")
	fieldMemberData      = cloud.NewField[int]("timeout_member_data")
	fieldTCPInspect      = cloud.NewField[int]("timeout_tcp_inspect")

	// Of pools.
	fieldAlgorithm   = cloud.NewField[string]("lb_algorithm")
	fieldPersistence = cloud.NewField[map[string]string]("session_persistence") // nil for none

	// Of members.
	fieldAddress     = cloud.NewField[string]("address")
	fieldSubnet      = cloud.NewField[string]("subnet_id")
	fieldWeight      = cloud.NewField[int]("weight")
	fieldBackup      = cloud.NewField[bool]("backup")
	fieldMonitorPort = cloud.NewField[*int]("monitor_port") // nil for none

	// Of health monitors.
	fieldType           = cloud.NewField[string]("type")
	fieldDelay          = cloud.NewField[int]("delay")
	fieldTimeout        = cloud.NewField[int]("timeout")
	fieldMaxRetries     = cloud.NewField[int]("max_retries")
	fieldMaxRetriesDown = cloud.NewField[int]("max_retries_down")
	fieldPath           = cloud.NewField[string]("url_path")
	fieldMethod         = cloud.NewField[string]("http_method")
	fieldCodes          = cloud.NewField[string]("expected_codes")
)
