package digitalocean

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// maxTag is the longest tag the API accepts.
const maxTag = 255

// Prefixes of the tags that say whose a balancer is.
const (
	markUpstream = "k8s:"
	markCluster  = "ccm-cluster:"
	markService  = "ccm-service:"
	markUID      = "ccm-uid:"
	markCloud    = "ccm-cloud:"
)

// clusterTag is the tag upstream writes.
func clusterTag(clusterID string) string { return markUpstream + clusterID }

// marks returns the tags a balancer of that owner carries, sorted.
func (d *Driver) marks(o cloud.Owner) []string {
	var tags []string
	add := func(prefix, value string) {
		if value != "" {
			tags = append(tags, prefix+encode(value, maxTag-len(prefix)))
		}
	}
	if d.settings.clusterID != "" {
		tags = append(tags, clusterTag(d.settings.clusterID))
	}
	add(markCluster, o.Cluster)
	add(markUID, o.UID)
	add(markCloud, cmp.Or(o.Cloud, d.cloud))
	if o.Name != "" {
		// Neither part can hold a colon, and both together always fit.
		tags = append(tags, markService+encode(o.Namespace, maxTag)+":"+encode(o.Name, maxTag))
	}
	slices.Sort(tags)
	return tags
}

// readMarks returns the marks among all tags of an object, in the form marks writes them,
// and the owner they claim. Tags of other programs are nobody's business here. The API
// keeps the case in which a tag was first made anywhere in the team, so case is ignored.
func (d *Driver) readMarks(tags []string, self cloud.Owner) ([]string, cloud.Owner) {
	var marks []string
	var owner cloud.Owner
	upstreamCluster := ""
	for _, tag := range tags {
		tag = d.canonicalTag(tag, self)
		prefix, value, _ := strings.Cut(tag, ":")
		switch prefix += ":"; prefix {
		case markUpstream:
			if tag != clusterTag(d.settings.clusterID) {
				upstreamCluster = cmp.Or(upstreamCluster, value)
				continue // another cluster's mark is not ours to remove
			}
			upstreamCluster = self.Cluster
		case markCluster:
			owner.Cluster = claim(markCluster, value, self.Cluster)
		case markUID:
			owner.UID = claim(markUID, value, self.UID)
		case markCloud:
			owner.Cloud = claim(markCloud, value, cmp.Or(self.Cloud, d.cloud))
		case markService:
			namespace, name, _ := strings.Cut(value, ":")
			owner.Namespace, owner.Name = decode(namespace), decode(name)
		default:
			continue
		}
		marks = append(marks, tag)
	}
	owner.Cluster = cmp.Or(owner.Cluster, upstreamCluster)
	slices.Sort(marks)
	return slices.Compact(marks), owner
}

// canonicalTag returns a tag in the case in which we write it.
func (d *Driver) canonicalTag(tag string, self cloud.Owner) string {
	for _, mark := range d.marks(self) {
		if strings.EqualFold(mark, tag) {
			return mark
		}
	}
	return tag
}

// claim decodes the value of a mark. A value too long for a tag can't be decoded, but it can
// be recognised as our own.
func claim(prefix, value, self string) string {
	if self != "" && value == encode(self, maxTag-len(prefix)) {
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
		if c := value[i]; strings.IndexByte(letters+digits+"-", c) >= 0 {
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
