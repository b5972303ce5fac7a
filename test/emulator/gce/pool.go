package gce

import (
	"slices"
	"strconv"
)

var poolRules = []Rule{
	{ID: "pool/region", Where: "targetPools.insert targetPools.addInstance", Text: "instances are in zones of the pool's region", Source: fromDocument},
	{ID: "pool/creation", Where: "targetPools.insert", Text: "at most 200 instances at creation", Source: fromUpstream},
	{ID: "pool/batch", Where: "targetPools.addInstance targetPools.removeInstance", Text: "at most 1,000 instances in a request", Source: fromUpstream},
	{ID: "pool/member", Where: "targetPools.removeInstance", Text: "what is removed is a member", Source: guess, IfWrong: "a removal of what is not there succeeds, and a driver may send it twice"},
	{ID: "pool/checks", Where: "targetPools.insert targetPools.addHealthCheck", Text: "one legacy HTTP health check at most", Source: fromDocument},
	{ID: "pool/check-member", Where: "targetPools.removeHealthCheck", Text: "the health check is the pool's", Source: guess, IfWrong: "a removal of what is not there succeeds"},
	{ID: "pool/affinity", Where: "targetPools.insert", Text: "sessionAffinity is NONE, CLIENT_IP or CLIENT_IP_PROTO", Source: fromVendor},
	{ID: "pool/backup", Where: "targetPools.insert", Text: "backupPool and failoverRatio, 0 to 1, are both set or neither", Source: fromDocument},
}

var pools = &kind{
	name: "targetPools", schema: "TargetPool", metric: "TARGET_POOLS",
	references: []reference{
		{field: "instances[]", kinds: []string{"instances"}, weak: true},
		{field: "healthChecks[]", kinds: []string{"httpHealthChecks"}},
		{field: "backupPool", kinds: []string{"targetPools"}},
	},
	check: checkPool,
}

func checkPool(c *call, wanted, _ fields) error {
	preset(wanted, "sessionAffinity", "NONE")
	if affinity := text(wanted, "sessionAffinity"); !slices.Contains([]string{"NONE", "CLIENT_IP", "CLIENT_IP_PROTO"}, affinity) {
		return broken("pool/affinity", "Invalid value for field 'resource.sessionAffinity': '%s'.", affinity)
	}
	if len(texts(wanted, "instances")) > 200 {
		return broken("pool/creation", "Invalid value for field 'resource.instances': at most 200 at creation.")
	}
	ratio, hasRatio := at(wanted, "failoverRatio").(interface{ String() string })
	value := 0.0
	if hasRatio {
		value, _ = strconv.ParseFloat(ratio.String(), 64)
	}
	if hasRatio != (wanted["backupPool"] != nil) || value < 0 || value > 1 {
		return broken("pool/backup", "Invalid value for field 'resource.failoverRatio'.")
	}
	return checkPoolParts(c, wanted)
}

// checkPoolParts checks what the lists of a pool name.
func checkPoolParts(c *call, wanted fields) error {
	for _, link := range texts(wanted, "instances") {
		if path := c.store.pathOf(link, c.project.id); regionOf(scopeOf(path)) != c.region() {
			return broken("pool/region", "Invalid value for field 'resource.instances': '%s'. The instance is not in the region.", path)
		}
	}
	if len(texts(wanted, "healthChecks")) > 1 {
		return broken("pool/checks", "Invalid value for field 'resource.healthChecks': at most one health check.")
	}
	return nil
}

// editPool adds or removes what the body's list names under key in each element.
func editPool(field, key, kindName string, change func(have []string, paths []string) ([]string, error)) handler {
	return func(c *call) (any, error) {
		sent := objects(c.body, field)
		if len(sent) > 1000 {
			return nil, broken("pool/batch", "Invalid value for field '%s': at most 1000.", field)
		}
		return c.edit(func(wanted fields) error {
			var have, paths []string
			for _, link := range texts(wanted, field) {
				have = append(have, c.store.pathOf(link, c.project.id))
			}
			for _, element := range sent {
				path, err := poolMember(c, have, text(element, key), field, kindName)
				if err != nil {
					return err
				}
				paths = append(paths, path)
			}
			next, err := change(have, paths)
			if err != nil {
				return err
			}
			links := []any{}
			for _, path := range next {
				links = append(links, c.store.link(path))
			}
			wanted[field] = links
			if len(links) == 0 {
				delete(wanted, field)
			}
			return checkPoolParts(c, wanted)
		})
	}
}

// poolMember returns the path of what a request names. A machine that is gone can be removed.
func poolMember(c *call, have []string, url, field, kindName string) (string, error) {
	if path := c.store.pathOf(url, c.project.id); path != "" && slices.Contains(have, path) {
		return path, nil
	}
	r, err := c.resolve(url, field, reference{kinds: []string{kindName}})
	if err != nil {
		return "", err
	}
	return r.path, nil
}

// added puts paths behind those that are there; one that is there already changes nothing (guess).
func added(have, paths []string) ([]string, error) {
	for _, path := range paths {
		if !slices.Contains(have, path) {
			have = append(have, path)
		}
	}
	return have, nil
}

// without takes paths away, or refuses with a rule.
func without(rule string) func(have, paths []string) ([]string, error) {
	return func(have, paths []string) ([]string, error) {
		for _, path := range paths {
			at := slices.Index(have, path)
			if at < 0 {
				return nil, broken(rule, "Invalid value: '%s' is not a member.", path)
			}
			have = slices.Delete(have, at, at+1)
		}
		return have, nil
	}
}

// poolHealth answers HEALTHY for a machine that runs.
func poolHealth(c *call) (any, error) {
	pool, err := c.found()
	if err != nil {
		return nil, err
	}
	machine, err := c.resolve(text(c.body, "instance"), "instance", reference{kinds: []string{"instances"}})
	if err != nil {
		return nil, err
	}
	if !c.store.contains(texts(pool.fields, "instances"), c.project.id, machine.path) {
		return nil, broken("pool/member", "Invalid value: '%s' is not a member.", machine.path)
	}
	return fields{"kind": "compute#targetPoolInstanceHealth", "healthStatus": []any{c.store.health(machine.path)}}, nil
}

// health is the state of a machine as load balancers see it.
func (t *store) health(path string) fields {
	state := "UNHEALTHY"
	if machine := t.byPath[path]; machine != nil && text(machine.fields, "status") == "RUNNING" {
		state = "HEALTHY"
	}
	return fields{"instance": t.link(path), "healthState": state}
}
