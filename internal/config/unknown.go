package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// shortest is the length of names that others resemble by more than chance.
	shortest = 8
	// slip is how far a typing error leads, and guess how far from a name one is that has the prefix of all of them.
	slip, guess = 2, 6
)

// linked are variables that Kubernetes sets in Pods for each Service of their namespace.
var linked = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)$`)

// UnknownVariables says of each variable in the environment that seems to be meant for a provider and that it does not read,
// which one may have been meant:
//
//	the variable                                is told
//	is empty, read, or set by Kubernetes        no
//	has the provider's own prefix               yes, unless another program is known to read it
//	is two letters from one that is read        yes
//	anything else                               no: SDKs and other programs read variables too
func UnknownVariables(d cloud.Descriptor, environ []string) []string {
	var known []string
	for _, setting := range d.Settings {
		known = append(known, setting.Name)
		if setting.Secret {
			known = append(known, setting.Name+FileSuffix)
		}
	}
	var told []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" || slices.Contains(known, name) || isOf(d.Variables.Others, name) || linked.MatchString(name) {
			continue
		}
		own := d.Variables.Prefix != "" && strings.HasPrefix(name, d.Variables.Prefix)
		meant := nearest(name, known, own)
		if meant != "" {
			meant = "; did you mean " + meant + "?"
		}
		if own || meant != "" {
			told = append(told, fmt.Sprintf("environment variable %s is set, and provider %s does not read it%s", name, d.Name, meant))
		}
	}
	slices.Sort(told)
	return told
}

// isOf reports whether a name is one of others, of which each "*" stands for any characters.
func isOf(others []string, name string) bool {
	return slices.ContainsFunc(others, func(other string) bool { is, err := path.Match(other, name); return err == nil && is })
}

// nearest returns the known name that another one resembles most, "" where it resembles none.
func nearest(name string, known []string, own bool) string {
	best, most := "", slip
	if own {
		most = guess
	}
	for _, candidate := range known {
		if len(candidate) < shortest || len(name) < shortest {
			continue
		}
		if d := annotation.Distance(name, candidate); d < most || d == most && best == "" {
			best, most = candidate, d
		}
	}
	return best
}
