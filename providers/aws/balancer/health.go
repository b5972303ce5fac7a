package balancer

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// HealthPath is where kube-proxy answers.
const HealthPath = "/healthz"

// AsksForPath reports whether health checks with the protocol have a path.
func AsksForPath(p cloud.Protocol) bool { return p == cloud.ProtocolHTTP || p == cloud.ProtocolHTTPS }

// Seconds is a time as AWS takes it.
func Seconds(d time.Duration) *int32 { return aws.Int32(int32(d / time.Second)) }
