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

// Droplets are the account's, in the order of their ids, and those that were deleted.
type Droplets struct {
	account *Account
	all     []*stored
	byID    map[int]*stored
	deleted map[int]*stored
	next    int
}

func (ds *Droplets) clear() {
	ds.all, ds.byID, ds.deleted, ds.next = nil, map[int]*stored{}, map[int]*stored{}, firstDropletID
}

// put adds a droplet or replaces the one with the same id.
func (ds *Droplets) put(s *stored) {
	at, found := slices.BinarySearchFunc(ds.all, s.ID, compareID)
	if found {
		ds.all[at] = s
	} else {
		ds.all = slices.Insert(ds.all, at, s)
	}
	ds.byID[s.ID] = s
	ds.next = max(ds.next, s.ID+1)
	delete(ds.deleted, s.ID)
}

// remove takes a droplet away and says whether it was there.
func (ds *Droplets) drop(id int) bool {
	gone, ok := ds.byID[id]
	if !ok {
		return false
	}
	at, _ := slices.BinarySearchFunc(ds.all, id, compareID)
	ds.all = slices.Delete(ds.all, at, at+1)
	delete(ds.byID, id)
	ds.deleted[id] = gone
	return true
}

func compareID(s *stored, id int) int { return s.ID - id }

func (ds *Droplets) state() []*Droplet {
	all := make([]*Droplet, len(ds.all))
	for i, s := range ds.all {
		all[i] = &s.Droplet
	}
	return all
}

// list: name= matches the whole name whatever the case and can't be
// combined with tag_name=; GPU droplets are only listed with type=gpus.
func (ds *Droplets) list(r *http.Request) (reply, error) {
	query := r.URL.Query()
	name, tag := query.Get("name"), query.Get("tag_name")
	if name != "" && tag != "" {
		return reply{}, unprocessable("name and tag_name can't be combined")
	}
	gpus := query.Get("type") == "gpus"
	matches := make([]*stored, 0, len(ds.all))
	for _, d := range ds.all {
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

func (ds *Droplets) get(r *http.Request) (reply, error) {
	id, err := number(r, "id")
	if err != nil {
		return reply{}, err
	}
	d, ok := ds.byID[id]
	if !ok {
		return reply{}, notFound()
	}
	return reply{raw: fmt.Appendf(nil, `{"droplet":%s}`, d.encoded())}, nil
}

func (ds *Droplets) setTag(d *stored, name string, on bool) {
	if d.hasTag(name) == on {
		return
	}
	changed := d.Droplet
	changed.Tags = slices.DeleteFunc(slices.Clone(d.Tags), func(t string) bool { return strings.EqualFold(t, name) })
	if on {
		changed.Tags = append(changed.Tags, name)
	}
	ds.put(&stored{Droplet: changed})
}
