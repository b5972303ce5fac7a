package difference

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint returns the same text for equal values. They must be of types that JSON can
// hold, as all of kernel/cloud's are.
func Fingerprint(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		panic("fingerprint of a type JSON cannot hold: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
