package balancer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

// targetCodes are what the API refuses a machine with that cannot be a target, by the vendor's Go library and by the
// documentation.
var targetCodes = []hcloud.ErrorCode{
	hcloud.ErrorCodeMissingIPv4, "resolve_cloud_public_targets_error",
	hcloud.ErrorCodeServerNotAttachedToNetwork, "resolve_cloud_private_targets_error",
	hcloud.ErrorCodeIPNotOwned, hcloud.ErrorCodeCloudResourceIPNotAllowed, "ip_not_in_vswitch_subnet",
}

// balancerCodes are what the API refuses a single target with where it is for the load balancer, or its network.
var balancerCodes = []hcloud.ErrorCode{
	hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork, "load_balancer_public_interface_disabled", "network_has_no_vswitch_subnet", hcloud.ErrorCodeTargetAlreadyDefined,
}

// refusedTargets marks the error of a request with targets, where it is for one of them:
//
//	the answer                         is
//	a code of targetCodes              for one of them, the named ones if it names some
//	invalid_input about a target       for that one
//	invalid_input about other fields   not for them
//	not found, or refused without any  not for them, or for one: that is not known
//	anything else                      not for them
//
// Whether a message names the server is a guess.
func refusedTargets(err error, with []cloud.Resource) error {
	var targets []cloud.Resource
	for _, r := range with {
		if r.Kind == kindTarget {
			targets = append(targets, r)
		}
	}
	answer, refused := errors.AsType[hcloud.Error](err)
	if len(targets) == 0 || !refused {
		return err
	}
	named := namedTargets(answer, targets)
	details, hasFields := answer.Details.(hcloud.ErrorDetailsInvalidInput)
	class := api.Classify(err).Class
	switch {
	case len(named) > 0, hcloud.IsError(err, targetCodes...):
		return &cloud.TargetsRefused{Named: named, Text: err.Error(), Err: invalid(err)}
	case hasFields && len(details.Fields) > 0:
		return err
	case class == cloud.FailureInvalid, class == cloud.FailureNotFound:
		return &cloud.TargetsRefused{Perhaps: true, Text: err.Error(), Err: err}
	}
	return err
}

// invalid is the error of a request that names a server which is gone: the same request fails again.
func invalid(err error) error {
	if api.IsNotFound(err) {
		return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureInvalid}, Op: "adding targets", Err: err}
	}
	return err
}

var serverInText = regexp.MustCompile(`\bserver (?:with ID )?'?(\d+)\b`)

// namedTargets are the machines that an answer names: by their place in the request, or by their id.
func namedTargets(answer hcloud.Error, targets []cloud.Resource) (named []cloud.InstanceID) {
	if details, ok := answer.Details.(hcloud.ErrorDetailsInvalidInput); ok {
		for _, field := range details.Fields {
			place, isTarget := strings.CutPrefix(field.Name, "targets.")
			place, _, _ = strings.Cut(place, ".")
			if at, err := strconv.Atoi(place); isTarget && err == nil && at >= 0 && at < len(targets) {
				named = append(named, targets[at].Machine)
			}
		}
	}
	for _, match := range serverInText.FindAllStringSubmatch(answer.Message, -1) {
		for _, r := range targets {
			if r.Key == fmt.Sprintf("server %s", match[1]) {
				named = append(named, r.Machine)
			}
		}
	}
	return named
}
