package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// Answers go through the SDK, because it has errors of its own for some codes and ways of its own
// with answers that are none.
func TestClassesOfAnswers(t *testing.T) {
	const (
		compute = `<Response><Errors><Error><Code>%s</Code><Message>m</Message></Error></Errors><RequestID>r</RequestID></Response>`
		lb      = `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>m</Message></Error><RequestId>r</RequestId></ErrorResponse>`
		half    = `<DescribeInstancesResponse><DescribeLoadBalancersResponse><%s`
		page    = `<html><body><h1>%s</h1></body></html>`
	)
	tests := []struct {
		status     int
		form, code string
		want       cloud.Class
	}{
		{400, compute, "InvalidInstanceID.NotFound", cloud.FailureNotFound},
		{400, compute, "InvalidInstanceID.Malformed", cloud.FailureInvalid},
		{400, compute, "InvalidGroup.NotFound", cloud.FailureNotFound},
		{400, compute, "DependencyViolation", cloud.FailureConflict},
		{400, compute, "RulesPerSecurityGroupLimitExceeded", cloud.FailureQuota},
		{503, compute, "RequestLimitExceeded", cloud.FailureThrottled},
		{503, compute, "Unavailable", cloud.FailureTransient},
		{500, compute, "InternalError", cloud.FailureTransient},
		{403, compute, "UnauthorizedOperation", cloud.FailureUnauthorized},
		{401, compute, "AuthFailure", cloud.FailureUnauthorized},
		{400, compute, "InvalidSubnetID.NotFound", cloud.FailureInvalid},
		{400, compute, "InvalidParameterValue", cloud.FailureInvalid},
		{400, lb, "LoadBalancerNotFound", cloud.FailureNotFound},
		{400, lb, "TargetGroupNotFound", cloud.FailureNotFound},
		{400, lb, "TooManyLoadBalancers", cloud.FailureQuota},
		{400, lb, "DuplicateLoadBalancerName", cloud.FailureConflict},
		{400, lb, "ResourceInUse", cloud.FailureConflict},
		{400, lb, "CertificateNotFound", cloud.FailureInvalid},
		{400, lb, "ValidationError", cloud.FailureInvalid},
		{400, lb, "Throttling", cloud.FailureThrottled},
		{403, lb, "ExpiredToken", cloud.FailureUnauthorized},
		{403, lb, "SignatureDoesNotMatch", cloud.FailureUnauthorized},
		{400, lb, "OperationNotPermitted", cloud.FailureConflict},
		{400, lb, "SomethingNew", cloud.FailureInvalid},
		{500, lb, "SomethingNew", cloud.FailureTransient},
		// A 404 proves nothing without a code.
		{404, lb, "SomethingNew", cloud.FailureUnknown},
		{404, page, "no such page", cloud.FailureUnknown},
		{429, page, "slow down", cloud.FailureThrottled},
		{502, page, "bad gateway", cloud.FailureTransient},
		{200, page, "log in to the network", cloud.FailureTransient},
		{200, half, "0", cloud.FailureTransient},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d %s", tt.status, tt.code), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprintf(w, tt.form, tt.code)
			}))
			defer server.Close()
			config := aws.Config{
				Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}, Retryer: func() aws.Retryer { return aws.NopRetryer{} },
				HTTPClient: &http.Client{Transport: Checked(server.Client().Transport)},
			}
			_, first := ec2.NewFromConfig(config).DescribeInstances(t.Context(), nil)
			_, second := elasticloadbalancing.NewFromConfig(config).DescribeLoadBalancers(t.Context(), nil)
			_, third := elasticloadbalancingv2.NewFromConfig(config).DescribeLoadBalancers(t.Context(), nil)
			errs := []error{second, third}
			switch tt.form {
			case compute:
				errs = []error{first}
			case page, half:
				errs = append(errs, first)
			}
			for _, err := range errs {
				if got := failure.Classify(fmt.Errorf("doing: %w", err)).Class; got != tt.want {
					t.Errorf("%s: %v", got, err)
				}
			}
		})
	}
}

// A page in place of the answer to a change says nothing: what was to be deleted is not gone.
func TestPagesInPlaceOfChanges(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><body><h1>log in to the network</h1></body></html>")
	}))
	defer server.Close()
	config := aws.Config{
		Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}, Retryer: func() aws.Retryer { return aws.NopRetryer{} },
		HTTPClient: &http.Client{Transport: Checked(server.Client().Transport)},
	}
	compute, classic, network := ec2.NewFromConfig(config), elasticloadbalancing.NewFromConfig(config), elasticloadbalancingv2.NewFromConfig(config)
	name := aws.String("x")
	_, group := compute.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: name})
	_, rules := compute.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: name})
	_, route := compute.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: name})
	_, lb := classic.DeleteLoadBalancer(t.Context(), &elasticloadbalancing.DeleteLoadBalancerInput{LoadBalancerName: name})
	_, nlb := network.DeleteLoadBalancer(t.Context(), &elasticloadbalancingv2.DeleteLoadBalancerInput{LoadBalancerArn: name})
	for what, err := range map[string]error{"security group": group, "rules": rules, "route": route, "classic": lb, "network": nlb} {
		if got := failure.Classify(err).Class; err == nil || got != cloud.FailureTransient {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}
