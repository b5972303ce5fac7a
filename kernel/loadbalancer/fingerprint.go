package loadbalancer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// fingerprint returns the same text for equal values. They must be of types that JSON can
// hold, as all of kernel/cloud's are.
func fingerprint(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		panic("fingerprint of a type JSON cannot hold: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// contentOf is the fingerprint of what the user asks for: without ids and annotations that
// we write ourselves.
func contentOf(spec cloud.Spec, c *run.Cloud) string {
	spec.Ref.ID = ""
	spec.Options = maps.Clone(spec.Options)
	for _, key := range c.Annotations {
		if key.Output || key.Name == c.Descriptor.IDAnnotation {
			delete(spec.Options, key.Name)
		}
	}
	return fingerprint(spec)
}
