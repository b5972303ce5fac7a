package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// valueOf decodes the value of an ownership tag. A value too long for a tag can't be decoded, but it can
// be recognised as our own.
func valueOf(value, self string, room int) string {
	if self != "" && value == encode(self, room) {
		return self
	}
	return decode(value)
}

// encode turns any text into characters a tag may have: lower case, digits and '-' stand for
// themselves, every other byte becomes '_' and two hexadecimal digits. What does not fit is
// replaced by its hash.
func encode(value string, room int) string {
	var b strings.Builder
	for i := range len(value) {
		if c := value[i]; strings.IndexByte(identifier.Letters+identifier.Digits+"-", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("_" + hex.EncodeToString([]byte{c}))
		}
	}
	if b.Len() > room {
		sum := sha256.Sum256([]byte(value))
		return "_" + hex.EncodeToString(sum[:])
	}
	return b.String()
}

// decode is the inverse of encode; what encode never writes stays as it is.
func decode(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '_' && i+2 < len(value) {
			if c, err := hex.DecodeString(value[i+1 : i+3]); err == nil {
				b.Write(c)
				i += 2
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
