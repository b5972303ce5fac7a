package owner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Tags are the ownership tags that load balancers of this cluster carry.
type Tags struct {
	// Upstream is upstream's tag of this cluster, "" where it has no id there.
	Upstream string
	// Cloud is the name of the configuration's entry.
	Cloud string
}

// Prefixes of the tags that say whose a balancer is.
const (
	prefixUpstream = config.ClusterPrefix
	prefixCluster  = "ccm-cluster:"
	prefixService  = "ccm-service:"
	prefixCloud    = "ccm-cloud:"
	// prefixUID was a tag of its own before the Service's tag held the UID too. It is still read.
	prefixUID = "ccm-uid:"
)

// maxUID is the room for a UID beside a namespace and a name of 63 characters, Kubernetes' limit for both, and two colons.
const maxUID = identifier.MaxTag - len(prefixService) - 2*(63+1)

// Of returns the tags a balancer of that owner carries, sorted.
func (t Tags) Of(o cloud.Owner) []string {
	var tags []string
	add := func(prefix, value string) {
		if value != "" {
			tags = append(tags, prefix+encode(value, identifier.MaxTag-len(prefix)))
		}
	}
	if t.Upstream != "" {
		tags = append(tags, t.Upstream)
	}
	add(prefixCluster, o.Cluster)
	add(prefixCloud, cmp.Or(o.Cloud, t.Cloud))
	if o.Name != "" || o.UID != "" {
		tags = append(tags, Service(o))
	}
	slices.Sort(tags)
	return tags
}

// Service is the tag of one Service. No other Service has the same, but that of a cluster which was restored
// from the same backup.
func Service(o cloud.Owner) string {
	// No part can hold a colon, and all together always fit.
	parts := []string{encode(o.Namespace, identifier.MaxTag), encode(o.Name, identifier.MaxTag), encode(o.UID, maxUID)}
	return prefixService + strings.Join(parts, ":")
}

// Read returns the ownership tags among all tags of an object, in the form in which Of has them,
// and the owner they claim. Tags of other programs are nobody's business here. The API
// keeps the case in which a tag was first made anywhere in the team, so case is ignored.
func (t Tags) Read(all []string, self cloud.Owner) ([]string, cloud.Owner) {
	var ownershipTags []string
	var owner cloud.Owner
	upstreamCluster := ""
	for _, tag := range all {
		tag = t.canonical(tag, self)
		prefix, value, _ := strings.Cut(tag, ":")
		switch prefix += ":"; prefix {
		case prefixUpstream:
			if tag != t.Upstream {
				upstreamCluster = cmp.Or(upstreamCluster, value)
				continue // another cluster's ownership tag is not ours to remove
			}
			upstreamCluster = self.Cluster
		case prefixCluster:
			owner.Cluster = clusterOf(value, self)
		case prefixUID:
			owner.UID = cmp.Or(owner.UID, valueOf(value, self.UID, identifier.MaxTag-len(prefixUID)))
		case prefixCloud:
			owner.Cloud = valueOf(value, cmp.Or(self.Cloud, t.Cloud), identifier.MaxTag-len(prefixCloud))
		case prefixService:
			namespace, rest, _ := strings.Cut(value, ":")
			name, uid, _ := strings.Cut(rest, ":")
			owner.Namespace, owner.Name = decode(namespace), decode(name)
			owner.UID = cmp.Or(valueOf(uid, self.UID, maxUID), owner.UID)
		default:
			continue
		}
		ownershipTags = append(ownershipTags, tag)
	}
	owner.Cluster = cmp.Or(owner.Cluster, upstreamCluster)
	slices.Sort(ownershipTags)
	return slices.Compact(ownershipTags), owner
}

// canonical returns a tag in the case in which we write it.
func (t Tags) canonical(tag string, self cloud.Owner) string {
	for _, ownershipTag := range t.Of(self) {
		if strings.EqualFold(ownershipTag, tag) {
			return ownershipTag
		}
	}
	return tag
}

// clusterOf returns the id of a cluster that a tag names.
func clusterOf(value string, self cloud.Owner) string {
	const room = identifier.MaxTag - len(prefixCluster)
	if id, here := self.ClusterWritten(value, func(id string) string { return encode(id, room) }); here {
		return id
	}
	return decode(value)
}

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
