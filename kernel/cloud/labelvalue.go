package cloud

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

// IsLabelValue reports whether a text is the value of a Kubernetes label, and not empty
// (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set).
func IsLabelValue(text string) bool { return labelValue.MatchString(text) }

// LabelValue makes the value of a Kubernetes label from a name of the cloud's, such as that of a zone:
// each run of other characters becomes a dash, and what is too long is cut. A text without any character
// that a label has is "".
func LabelValue(name string) string {
	value := strings.Trim(notInLabel.ReplaceAllString(name, "-"), labelPadding)
	if len(value) > maxLabel {
		value = strings.TrimRight(value[:maxLabel], labelPadding)
	}
	return value
}
