package elb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// viewHealth is the check AWS makes. What can't be read is taken for its protocol, which
// no wanted one has.
func viewHealth(check *types.HealthCheck) *cloud.Health {
	if check == nil {
		return nil
	}
	h := &cloud.Health{
		Interval: time.Duration(aws.ToInt32(check.Interval)) * time.Second, Timeout: time.Duration(aws.ToInt32(check.Timeout)) * time.Second,
		Healthy: int(aws.ToInt32(check.HealthyThreshold)), Unhealthy: int(aws.ToInt32(check.UnhealthyThreshold)),
	}
	target := aws.ToString(check.Target)
	protocol, rest, _ := strings.Cut(target, ":")
	text, _, hasPath := strings.Cut(rest, "/")
	port, err := strconv.Atoi(text)
	if err != nil {
		h.Protocol = cloud.Protocol(target)
		return h
	}
	h.Protocol, h.Port = cloud.ProtocolOf(protocol), port
	if hasPath {
		h.Path = rest[len(text):]
	}
	return h
}

// fieldCheck is the health check as a whole, which one request writes.
const fieldCheck = "HealthCheck"

// checkTarget is what a check asks for, as AWS writes it: "HTTP:10256/healthz".
func checkTarget(h cloud.Health) string {
	return fmt.Sprintf("%s:%d%s", h.Protocol, h.Port, h.Path)
}

func (e *Balancers) configureHealth(ctx context.Context, r cloud.Resource, _ []string) error {
	h, _ := r.Fields[fieldCheck].(cloud.Health)
	_, err := e.Client.ConfigureHealthCheck(ctx, &sdk.ConfigureHealthCheckInput{
		LoadBalancerName: nameOf(r),
		HealthCheck: &types.HealthCheck{
			Target: new(checkTarget(h)), Interval: balancer.Seconds(h.Interval), Timeout: balancer.Seconds(h.Timeout),
			HealthyThreshold: new(int32(h.Healthy)), UnhealthyThreshold: new(int32(h.Unhealthy)), //nolint:gosec // at most 10
		},
	})
	return err
}
