package nova

import (
	"regexp"
	"strings"
)

// maxLabel is the longest value of a Kubernetes label.
const maxLabel = 63

var (
	labelValue   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	notInLabel   = regexp.MustCompile(`[^-A-Za-z0-9_.]+`)
	labelPadding = "-_."
)

// label makes the value of a label from the name of an availability zone, as upstream does.
// Only where upstream leaves padding at the end of a cut one, which Kubernetes refuses, it is
// removed.
func label(name string) string {
	value := strings.Trim(notInLabel.ReplaceAllString(name, "-"), labelPadding)
	if len(value) > maxLabel {
		value = strings.TrimRight(value[:maxLabel], labelPadding)
	}
	return value
}
