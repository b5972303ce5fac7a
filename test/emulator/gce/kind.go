package gce

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

// kind is one collection of the API and what is special about it.
type kind struct {
	name   string // the collection in method names
	schema string
	metric string // of the quota, "" for none
	// references are the fields that name other objects.
	references []reference
	// fixed are the fields that an update or a patch must leave as they are; alone are the only
	// fields that a patch may change, all others when empty.
	fixed, alone []string
	// check fills in defaults and refuses what the rules forbid. Old is nil for a new object; names
	// of other objects are resolved.
	check func(c *call, wanted, old fields) error
	// remove refuses or prepares a deletion.
	remove func(c *call, r *resource) error
	// removed carries out what a deletion means for others.
	removed func(t *store, r *resource)
	// view sets fields that are computed when the object is read.
	view func(t *store, r *resource, out fields)
}

// reference is a field that names another object: "a.b", and "list[]" or "list[].b" in lists.
type reference struct {
	field string
	kinds []string // names of kinds
	// weak references keep nothing from being deleted.
	weak bool
	// zoned names are taken from the object's own zone or region when they are no path.
	zoned bool
}

// kinds are all collections but those of operations.
var kinds = map[string]*kind{}

func init() { // not in the declaration: the kinds' functions look kinds up
	for _, k := range []*kind{
		{name: "projects", schema: "Project", view: viewQuotas}, {name: "zones", schema: "Zone"}, {name: "regions", schema: "Region", view: viewQuotas},
		instances, networks, subnetworks, addresses, firewalls, forwarding, pools, httpHealthChecks, healthChecks, regionHealthChecks,
		backendServices, groups, endpointGroups, routes,
	} {
		kinds[k.name] = k
	}
}

// segment is the collection in paths: regionHealthChecks are "healthChecks" of a region.
func (k *kind) segment() string {
	for _, verb := range []string{"insert", "list", "get"} {
		if m := discovery.Load().Methods[k.name+"."+verb]; m != nil {
			path := strings.Split(m.Path, "/")
			if last := path[len(path)-1]; !strings.HasPrefix(last, "{") {
				return last
			}
		}
	}
	return k.name
}

// scoped is what the kind's objects are in: "zones", "regions" or "global".
func (k *kind) scoped() string {
	m := discovery.Load().Methods[k.name+".get"]
	switch {
	case strings.Contains(m.Path, "/zones/{zone}/"):
		return "zones"
	case strings.Contains(m.Path, "/regions/{region}/"):
		return "regions"
	}
	return "global"
}

func (k *kind) has(field string) bool {
	return discovery.Load().Schemas[k.schema].Properties[field] != nil
}

// kindOf finds the kind of the object at a path.
func kindOf(path string) *kind {
	parts := strings.Split(path, "/")
	switch len(parts) {
	case 4: // projects/p/zones/z
		return kinds[parts[2]]
	case 5: // projects/p/global/networks/n
		if parts[2] == "global" {
			return kinds[parts[3]]
		}
	case 6: // projects/p/regions/r/addresses/n
		segment, scope := parts[4], parts[2]
		for _, name := range []string{segment, "region" + strings.ToUpper(segment[:1]) + segment[1:]} {
			if k := kinds[name]; k != nil && k.scoped() == scope {
				return k
			}
		}
	}
	return nil
}
