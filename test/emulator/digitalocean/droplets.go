package digitalocean

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// firstDropletID makes ids as long as real ones.
const firstDropletID = 400_000_001

// stored is a droplet with its encoding. It is replaced, never changed, so that
// states and answers may share it.
type stored struct {
	Droplet
	json []byte // made on first use, with the server's lock held
}

func (s *stored) encoded() []byte {
	if s.json == nil {
		s.json = s.encode()
	}
	return s.json
}

// droplets is the account's list in order of ids, and those that were deleted.
type droplets struct {
	list    []*stored
	byID    map[int]*stored
	deleted map[int]*stored
	next    int
}

func newDroplets() droplets {
	return droplets{byID: map[int]*stored{}, deleted: map[int]*stored{}, next: firstDropletID}
}

// put adds a droplet or replaces the one with the same id.
func (d *droplets) put(s *stored) {
	at, found := slices.BinarySearchFunc(d.list, s.ID, compareID)
	if found {
		d.list[at] = s
	} else {
		d.list = slices.Insert(d.list, at, s)
	}
	d.byID[s.ID] = s
	d.next = max(d.next, s.ID+1)
	delete(d.deleted, s.ID)
}

// remove takes a droplet away and says whether it was there.
func (d *droplets) remove(id int) bool {
	gone, ok := d.byID[id]
	if !ok {
		return false
	}
	at, _ := slices.BinarySearchFunc(d.list, id, compareID)
	d.list = slices.Delete(d.list, at, at+1)
	delete(d.byID, id)
	d.deleted[id] = gone
	return true
}

func compareID(s *stored, id int) int { return s.ID - id }

func (d *droplets) all() []*Droplet {
	all := make([]*Droplet, len(d.list))
	for i, s := range d.list {
		all[i] = &s.Droplet
	}
	return all
}

// listDroplets: name= matches the whole name whatever the case and can't be
// combined with tag_name=; GPU droplets are only listed with type=gpus.
func (a *Account) listDroplets(r *http.Request) (reply, error) {
	query := r.URL.Query()
	name, tag := query.Get("name"), query.Get("tag_name")
	if name != "" && tag != "" {
		return reply{}, unprocessable("name and tag_name can't be combined")
	}
	gpus := query.Get("type") == "gpus"
	matches := make([]*stored, 0, len(a.droplets.list))
	for _, d := range a.droplets.list {
		if d.GPU() == gpus && (name == "" || strings.EqualFold(d.Name, name)) && (tag == "" || d.hasTag(tag)) {
			matches = append(matches, d)
		}
	}
	p := pageOf(r)
	start, end := p.Bounds(len(matches))
	raw, err := encodeList(matches[start:end], linksOf(p, r, len(matches)), len(matches))
	return reply{raw: raw}, err
}

// encodeList joins cached encodings, so that a page of 200 costs one copy.
func encodeList(part []*stored, links links, total int) ([]byte, error) {
	tail, err := json.Marshal(links)
	if err != nil {
		return nil, fmt.Errorf("encoding links: %w", err)
	}
	size := 64 + len(tail)
	for _, d := range part {
		size += len(d.encoded()) + 1
	}
	var out bytes.Buffer
	out.Grow(size)
	out.WriteString(`{"droplets":[`)
	for i, d := range part {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(d.encoded())
	}
	fmt.Fprintf(&out, `],"links":%s,"meta":{"total":%d}}`, tail, total)
	return out.Bytes(), nil
}

func (a *Account) getDroplet(r *http.Request) (reply, error) {
	id, err := number(r, "id")
	if err != nil {
		return reply{}, err
	}
	d, ok := a.droplets.byID[id]
	if !ok {
		return reply{}, notFound()
	}
	return reply{raw: fmt.Appendf(nil, `{"droplet":%s}`, d.encoded())}, nil
}
