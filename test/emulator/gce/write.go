package gce

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

// plan checks a write against the present state and returns what carries it out. It runs when the
// request comes in, and again when its operation ends, as the state may have changed.
type plan func() (carryOut func(), err error)

var namePattern = regexp.MustCompile(`^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$`)

func (c *call) insert() (any, error) {
	name := text(c.body, "name")
	if name == "" {
		return nil, broken("common/name", "Required field 'resource.name' not specified")
	}
	if !namePattern.MatchString(name) {
		return nil, &problem{status: 400, reason: "invalid", rule: "common/name", message: fmt.Sprintf("Invalid value for field 'resource.name': '%s'. Must be a match of regex '%s'", name, namePattern)}
	}
	path := c.collection() + "/" + name
	if c.store.byPath[path] != nil || c.s.Operations.busy[path] != nil {
		return nil, broken("common/exists", "The resource '%s' already exists", path)
	}
	id := c.store.newID()
	return c.operate(path, id, func() (func(), error) { return c.inserted(path, id) })
}

// inserted is the plan of an insert.
func (c *call) inserted(path, id string) (func(), error) {
	wanted := clone(c.body).(fields)
	delete(wanted, "params")
	uses, err := c.canonical(wanted)
	if err != nil {
		return nil, err
	}
	if err := checkLabels(wanted); err != nil {
		return nil, err
	}
	if c.kind.check != nil {
		if err := c.kind.check(c, wanted, nil); err != nil {
			return nil, err
		}
	}
	if err := c.quota(path); err != nil {
		return nil, err
	}
	if c.kind.check != nil { // defaults may name others
		if uses, err = c.canonical(wanted); err != nil {
			return nil, err
		}
	}
	r := c.store.stamp(&resource{kind: c.kind, path: path, fields: wanted, uses: uses}, id)
	return func() { c.store.put(r) }, nil
}

// stamp sets what the API writes into a new object.
func (t *store) stamp(r *resource, id string) *resource {
	f := r.fields
	f["id"], f["name"], f["selfLink"] = id, r.name(), t.link(r.path)
	f["creationTimestamp"] = t.timestamp()
	if kind := discovery.Load().Schemas[r.kind.schema].Properties["kind"]; kind != nil {
		f["kind"] = kind.Default
	}
	scope := r.scope()
	for _, field := range []string{"zone", "region"} {
		if strings.HasPrefix(scope, field+"s/") && r.kind.has(field) {
			f[field] = t.link("projects/" + r.project() + "/" + scope)
		}
	}
	fingerprint(r.kind, f)
	return r
}

// fingerprint sets the fingerprints that the kind has.
func fingerprint(k *kind, f fields) {
	if k.has("labels") {
		f["labelFingerprint"] = hash(f["labels"])
	}
	if tags, ok := f["tags"].(fields); ok && k.name == "instances" {
		tags["fingerprint"] = hash(tags["items"])
	}
	if k.has("fingerprint") {
		delete(f, "fingerprint")
		f["fingerprint"] = hash(f)
	}
}

func hash(value any) string {
	sum := sha256.Sum256(fmt.Append(nil, value)) // maps print in order of their keys
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func (c *call) update() (any, error) {
	return c.change(func(old fields) fields { return clone(c.body).(fields) })
}

func (c *call) patch() (any, error) {
	return c.change(func(old fields) fields { return merge(old, c.body) })
}

// operateOn starts an operation on the object of the path. The object may have gone before it begins.
func (c *call) operateOn(do func(now *resource) (func(), error)) (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	return c.operate(r.path, text(r.fields, "id"), func() (func(), error) {
		now := c.store.byPath[r.path]
		if now == nil {
			return nil, broken("common/not-found", "The resource '%s' was not found", r.path)
		}
		return do(now)
	})
}

// change replaces the fields of an object by what makes of them.
func (c *call) change(makes func(old fields) fields) (any, error) {
	return c.operateOn(func(now *resource) (func(), error) {
		if err := c.fingerprinted("fingerprint", now.fields); err != nil {
			return nil, err
		}
		return c.changed(now, makes(now.fields))
	})
}

// changed is the plan of a change of fields.
func (c *call) changed(r *resource, wanted fields) (func(), error) {
	for name, property := range discovery.Load().Schemas[c.kind.schema].Properties {
		if property.OutputOnly || (name == "name" && wanted[name] == nil) || strings.HasSuffix(strings.ToLower(name), "fingerprint") {
			keep(wanted, r.fields, name)
		}
	}
	for _, name := range append([]string{"name"}, c.kind.fixed...) {
		if wanted[name] == nil {
			keep(wanted, r.fields, name)
		}
	}
	uses, err := c.canonical(wanted)
	if err != nil {
		return nil, err
	}
	if c.kind.check != nil {
		if err := c.kind.check(c, wanted, r.fields); err != nil {
			return nil, err
		}
	}
	if err := c.immutable(wanted, r.fields); err != nil {
		return nil, err
	}
	fingerprint(c.kind, wanted)
	next := &resource{kind: r.kind, path: r.path, fields: wanted, members: r.members, uses: uses}
	return func() { c.store.put(next) }, nil
}

func keep(wanted, old fields, name string) {
	if value, ok := old[name]; ok {
		wanted[name] = clone(value)
	} else {
		delete(wanted, name)
	}
}

func (c *call) immutable(wanted, old fields) error {
	names := maps.Clone(wanted)
	maps.Copy(names, old)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fixed := slices.Contains(c.kind.fixed, name) || name == "name"
		if len(c.kind.alone) > 0 {
			fixed = !slices.Contains(c.kind.alone, name)
		}
		if fixed && !reflect.DeepEqual(wanted[name], old[name]) && !strings.HasSuffix(strings.ToLower(name), "fingerprint") {
			return broken("common/immutable", "Invalid value for field 'resource.%s': '%v'. The field cannot be changed.", name, wanted[name])
		}
	}
	return nil
}

// fingerprinted checks the fingerprint in the body against the object's.
func (c *call) fingerprinted(field string, old fields) error {
	sent, current := text(c.body, field), text(old, field)
	if current == "" {
		return nil
	}
	property := discovery.Load().Schemas[c.spec.Request].Properties[field]
	if sent == current || (sent == "" && (property == nil || !property.Optimistic)) {
		return nil
	}
	if sent == "" {
		return broken("common/fingerprint", "Required field 'resource.%s' not specified: no fingerprint was given.", field)
	}
	return broken("common/fingerprint", "Invalid %s.", field)
}

func (c *call) setLabels() (any, error) {
	return c.operateOn(func(now *resource) (func(), error) {
		if err := c.fingerprinted("labelFingerprint", now.fields); err != nil {
			return nil, err
		}
		wanted := clone(now.fields).(fields)
		wanted["labels"] = clone(at(c.body, "labels"))
		if wanted["labels"] == nil {
			delete(wanted, "labels")
		}
		if err := checkLabels(wanted); err != nil {
			return nil, err
		}
		fingerprint(c.kind, wanted)
		return func() {
			c.store.put(&resource{kind: now.kind, path: now.path, fields: wanted, members: now.members, uses: now.uses})
		}, nil
	})
}

var (
	labelKey   = regexp.MustCompile(`^[a-z][-_a-z0-9]{0,62}$`)
	labelValue = regexp.MustCompile(`^[-_a-z0-9]{0,63}$`)
)

func checkLabels(f fields) error {
	labels, _ := f["labels"].(fields)
	if len(labels) > 64 {
		return broken("common/labels", "Too many labels: %d, at most 64", len(labels))
	}
	for key, value := range labels {
		if text, _ := value.(string); !labelKey.MatchString(key) || !labelValue.MatchString(text) {
			return broken("common/labels", "Invalid value for field 'resource.labels': '%s: %v'", key, value)
		}
	}
	return nil
}

func (c *call) remove() (any, error) {
	return c.operateOn(func(now *resource) (func(), error) {
		for _, user := range slices.Sorted(maps.Keys(c.store.users[now.path])) {
			return nil, broken("common/in-use", "The %s resource '%s' is already being used by '%s'", strings.TrimSuffix(c.kind.segment(), "s"), now.path, user)
		}
		if c.kind.remove != nil {
			if err := c.kind.remove(c, now); err != nil {
				return nil, err
			}
		}
		return func() {
			if c.kind.removed != nil {
				c.kind.removed(c.store, now)
			}
			c.store.remove(now.path)
		}, nil
	})
}

// newID returns the number of a new object or operation; unique per server and reproducible.
func (t *store) newID() string {
	t.serial++
	return strconv.Itoa(1_000_000_000_000_000_000 + t.serial)
}

func (t *store) timestamp() string {
	return t.options.Now().In(time.FixedZone("", -7*3600)).Format("2006-01-02T15:04:05.000-07:00")
}
