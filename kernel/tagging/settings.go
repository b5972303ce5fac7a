package tagging

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Settings are what users choose.
type Settings struct {
	// Tags are what machines get.
	Tags map[string]string
	// Resources are of the cloud's TagResources.
	Resources []string
	// Rate bounds machines per second when both it and Burst are more than 0.
	Rate  float64
	Burst int
	// Workers is how many Nodes are labelled at the same time.
	Workers int
}

// Problem returns what is wrong with the settings for a cloud, nil when nothing is. tagger is nil
// where machines have no tags.
func (s Settings) Problem(cloudName string, tagger cloud.Tagger) error {
	if tagger == nil {
		return fmt.Errorf("--controllers: %s has no tags for the controller %q", cloudName, "tagging")
	}
	known := tagger.TagResources()
	switch {
	case len(s.Tags) == 0:
		return fmt.Errorf("--tags is empty: the controller %q needs at least one, as in --tags=team=shop", "tagging")
	case len(s.Resources) == 0:
		return fmt.Errorf("--resources is empty: the controller %q needs at least one of %s", "tagging", strings.Join(known, ", "))
	case s.Workers < 1:
		return fmt.Errorf("--tagging-controller-concurrent-node-syncs=%d must be at least 1", s.Workers)
	case s.Rate < 0 || s.Burst < 0:
		return fmt.Errorf("--tagging-controller-rate-limit=%g and --tagging-controller-burst-limit=%d must not be negative", s.Rate, s.Burst)
	}
	for _, resource := range s.Resources {
		if !slices.Contains(known, resource) {
			return fmt.Errorf("--resources=%s is not possible: %s has %s", resource, cloudName, strings.Join(known, ", "))
		}
	}
	return nil
}

// checksum is the value of the label of Nodes whose machines have these tags, as upstream
// computes it: a cluster that comes from there is not tagged again.
func checksum(tags map[string]string) string {
	sum := md5.Sum([]byte(text(tags)))
	return hex.EncodeToString(sum[:])
}

func text(tags map[string]string) string {
	pairs := make([]string, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		pairs = append(pairs, key+"="+tags[key])
	}
	return strings.Join(pairs, ",")
}
