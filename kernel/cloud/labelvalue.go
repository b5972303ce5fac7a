package cloud

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
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

// encoded begins values that stand for another text, hashed those that stand for one that is too long.
const (
	encoded = "x-"
	hashed  = "h-"
)

// coding is a function so that programs without such labels do without it.
func coding() *base32.Encoding { return base32.HexEncoding.WithPadding(base32.NoPadding) }

// EncodeLabel returns a text as the value of a label from which it comes back.
func EncodeLabel(text string) string {
	special := strings.HasPrefix(text, encoded) || strings.HasPrefix(text, hashed)
	if text == "" || IsLabelValue(text) && !special {
		return text
	}
	if value := encoded + strings.ToLower(coding().EncodeToString([]byte(text))); len(value) <= maxLabel {
		return value
	}
	sum := sha256.Sum256([]byte(text))
	return hashed + hex.EncodeToString(sum[:24])
}

// DecodeLabel is the inverse of EncodeLabel. A text that was too long can be recognised where it is self.
func DecodeLabel(value, self string) string {
	if self != "" && value == EncodeLabel(self) {
		return self
	}
	if rest, ok := strings.CutPrefix(value, encoded); ok {
		if text, err := coding().DecodeString(strings.ToUpper(rest)); err == nil {
			return string(text)
		}
	}
	return value
}
