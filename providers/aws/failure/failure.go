// Package failure sorts what AWS answers into the classes of cloud.Failure.
package failure

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// CredentialError is that there are no credentials. The request they are for was not sent.
type CredentialError struct{ Err error }

func (e *CredentialError) Error() string { return "getting credentials: " + e.Err.Error() }

func (e *CredentialError) Unwrap() error { return e.Err }

// Classify is what cloud.Driver asks for.
func Classify(err error) cloud.Failure {
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	failure := classify(err)
	// Whatever a request for credentials is refused for: without them nothing is known of the
	// object that was to be asked for.
	_, credentials := errors.AsType[*CredentialError](err)
	if credentials && failure.Class != cloud.FailureTransient && failure.Class != cloud.FailureThrottled {
		failure.Class = cloud.FailureUnauthorized
	}
	return failure
}

// Throttles reports whether an error code says that too much was asked for.
func Throttles(code string) bool { return classes[code] == cloud.FailureThrottled }

func classify(err error) cloud.Failure {
	answer, answered := errors.AsType[*smithyhttp.ResponseError](err)
	var header http.Header
	if answered && answer.Response != nil {
		header = answer.Response.Header
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if class, known := classes[api.ErrorCode()]; known {
			return cloud.Refusal(class, header)
		}
	}
	// What a proxy answers has no code, and one that is unknown says less than its status.
	if answered && answer.HTTPStatusCode() >= http.StatusBadRequest {
		return cloud.Refusal(cloud.ClassOfStatus(answer.HTTPStatusCode()), header)
	}
	if _, bad := errors.AsType[*smithy.DeserializationError](err); bad {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.OtherFailure(err)
}

// classes are those of the error codes, of EC2's documentation, of the two of load balancing,
// and of what all services have in common.
var classes = invert(map[cloud.Class][]string{
	// Only of what was asked for by its id or name: a group or subnet that does not exist and
	// was named along with it is something else, see below.
	cloud.FailureNotFound: {
		"InvalidInstanceID.NotFound", "InvalidGroup.NotFound", "InvalidGroupId.NotFound", "InvalidRouteTableID.NotFound", "InvalidRoute.NotFound",
		"InvalidNetworkInterfaceID.NotFound", "InvalidPermission.NotFound", "InvalidSecurityGroupRuleId.NotFound",
		"LoadBalancerNotFound", "AccessPointNotFound", "TargetGroupNotFound", "ListenerNotFound", "PolicyNotFound", "RuleNotFound",
	},
	cloud.FailureThrottled: {
		"RequestLimitExceeded", "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
		"TooManyRequestsException", "BandwidthLimitExceeded", "SlowDown", "PriorRequestNotComplete", "EC2ThrottledException",
	},
	cloud.FailureUnauthorized: {
		"AuthFailure", "UnauthorizedOperation", "Blocked", "OptInRequired", "PendingVerification", "UnauthorizedAccess",
		"AccessDenied", "AccessDeniedException", "NotAuthorized", "ExpiredToken", "ExpiredTokenException", "IncompleteSignature",
		"InvalidClientTokenId", "MissingAuthenticationToken", "RequestExpired", "SignatureDoesNotMatch", "UnrecognizedClientException",
		"InvalidAccessKeyId", "IDPRejectedClaim", "InvalidIdentityToken", "IDPCommunicationError", "RegionDisabledException",
	},
	cloud.FailureQuota: {
		"TooManyLoadBalancers", "TooManyAccessPoints", "TooManyTargetGroups", "TooManyTargets", "TooManyListeners", "TooManyTags", "TooManyPolicies",
		"TooManyRegistrationsForTargetId", "TooManyUniqueTargetGroupsPerLoadBalancer", "TooManyCertificates", "TagLimitExceeded",
		"RulesPerSecurityGroupLimitExceeded", "SecurityGroupLimitExceeded", "SecurityGroupsPerInterfaceLimitExceeded", "SecurityGroupsPerInstanceLimitExceeded",
		"RouteLimitExceeded", "ResourceLimitExceeded", "AddressLimitExceeded", "NetworkInterfaceLimitExceeded", "PrivateIpAddressLimitExceeded",
		"InsufficientFreeAddressesInSubnet", "InsufficientAddressCapacity", "InsufficientCapacity",
	},
	cloud.FailureConflict: {
		"DependencyViolation", "ResourceInUse", "ResourceInUseException", "IncorrectState", "IncorrectInstanceState", "OperationInProgress",
		"InvalidGroup.InUse", "InvalidGroup.Duplicate", "InvalidPermission.Duplicate", "RouteAlreadyExists", "PriorityInUse",
		"DuplicateLoadBalancerName", "DuplicateAccessPointName", "DuplicateTargetGroupName", "DuplicateListener", "DuplicatePolicyName", "DuplicateTagKeys",
		"IdempotentParameterMismatch", "ConcurrentTagAccess", "AllocationIdInUse", "InvalidIPAddress.InUse",
		"OperationNotPermitted", // such as deleting a protected balancer
	},
	cloud.FailureInvalid: {
		"ValidationError", "ValidationException", "InvalidParameter", "InvalidParameterValue", "InvalidParameterCombination", "MissingParameter",
		"UnknownParameter", "InvalidInput", "InvalidAction", "UnsupportedOperation", "UnsupportedProtocol", "Unsupported", "MalformedQueryString",
		"InvalidID", "InvalidInstanceID", "InvalidInstanceID.Malformed", "InvalidGroupId.Malformed", "InvalidSubnetID.Malformed",
		"InvalidVpcID.Malformed", "InvalidRouteTableId.Malformed", "InvalidAllocationID.Malformed", "InvalidPermission.Malformed",
		"InvalidConfigurationRequest", "InvalidScheme", "InvalidSubnet", "InvalidSecurityGroup", "InvalidTarget", "InvalidInstance", "InvalidEndPoint",
		"InvalidLoadBalancerAction", "IncompatibleProtocols", "SSLPolicyNotFound", "CertificateNotFound", "PolicyTypeNotFound",
		"LoadBalancerAttributeNotFound", "TargetGroupAssociationLimit", "AvailabilityZoneNotSupported", "InvalidAvailabilityZone",
		// Of what is named in the configuration or on the Service.
		"InvalidVpcID.NotFound", "InvalidSubnetID.NotFound", "SubnetNotFound", "InvalidAllocationID.NotFound", "AllocationIdNotFound", "InvalidPrefixListID.NotFound",
	},
	cloud.FailureTransient: {
		"InternalError", "InternalFailure", "InternalServiceError", "InternalServerError", "ServiceUnavailable", "ServiceUnavailableException", "Unavailable",
		"RequestTimeout", "RequestTimeoutException", "HealthUnavailable",
	},
})

func invert(byClass map[cloud.Class][]string) map[string]cloud.Class {
	byCode := map[string]cloud.Class{}
	for class, codes := range byClass {
		for _, code := range codes {
			byCode[code] = class
		}
	}
	return byCode
}

// Is reports whether the API answered with one of these error codes.
func Is(err error, codes ...string) bool {
	answer, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains(codes, answer.ErrorCode())
}

// Wrap says what was being done, nil when it went well.
func Wrap(err error, action string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// IsGone reports whether what was asked for does not exist.
func IsGone(err error) bool { return Classify(err).Class == cloud.FailureNotFound }

// UnlessGone returns the error of what something was deleted with, nil where that is not there.
func UnlessGone(err error) error {
	if IsGone(err) {
		return nil
	}
	return err
}

// UnlessInUse is UnlessGone for what others use, such as a balancer that is being deleted: then it has to wait.
func UnlessInUse(err error) error {
	if Is(err, "DependencyViolation", "ResourceInUse") {
		return &cloud.Waiting{}
	}
	return UnlessGone(err)
}
