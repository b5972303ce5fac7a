package desired

// Fields only this cloud's balancers have, beside the portable ones.
const (
	FieldType             = "type"
	FieldVPC              = "vpc"
	FieldSubnet           = "subnet"
	FieldIP               = "ip"
	fieldSize             = "size"
	fieldTargetTag        = "targetTag"
	fieldProxyProtocol    = "proxyProtocol"
	fieldBackendKeepalive = "backendKeepalive"
	fieldRedirect         = "redirectHTTPToHTTPS"
	fieldNoDNSRecords     = "disableLetsEncryptDNSRecords"
	fieldIdleTimeout      = "idleTimeout"
	fieldSticky           = "stickySessions"
)

// Fields only this cloud's listeners and health checks have.
const (
	fieldCertificate = "certificate"
	fieldPassthrough = "passthrough"
	fieldHealthProxy = "proxyProtocol"
)
