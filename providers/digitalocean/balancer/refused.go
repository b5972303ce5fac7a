package balancer

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
)

var number = regexp.MustCompile(`\d+`)

// refusedTargets marks the error of a request that adds droplets, where it is for them. Of one that makes a balancer that is not
// known unless the message is about droplets. DigitalOcean has no codes, and does not document what it says of a droplet
// that is gone or elsewhere: 422 and 404 are both taken for it, and whether the message names the droplet is a guess.
func refusedTargets(err error, asked []int, makes bool) error {
	answer, ok := errors.AsType[*godo.ErrorResponse](err)
	class := api.Classify(err).Class
	isRefusal := class == cloud.FailureInvalid || class == cloud.FailureNotFound || class == cloud.FailureQuota
	if !ok || len(asked) == 0 || !isRefusal {
		return err
	}
	about := strings.Contains(strings.ToLower(answer.Message), "droplet")
	if makes && !about && class == cloud.FailureQuota {
		return err // of balancers
	}
	refused := &cloud.TargetsRefused{
		Perhaps: makes && !about, TooMany: class == cloud.FailureQuota, Text: cmp.Or(answer.Message, string(class)), Err: err,
	}
	for _, id := range asked {
		refused.Asked = append(refused.Asked, cloud.InstanceID(strconv.Itoa(id)))
	}
	for _, text := range number.FindAllString(answer.Message, -1) {
		if id := cloud.InstanceID(text); about && slices.Contains(refused.Asked, id) {
			refused.Named = append(refused.Named, id)
		}
	}
	return refused
}
