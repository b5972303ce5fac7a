package hcloud

import "slices"

// targetOf reads the balancer and the target of a request.
func targetOf(c *call, removal bool) (*Balancer, Target, error) {
	b, err := c.balancer()
	if err != nil {
		return nil, Target{}, err
	}
	var body targetRequest
	if err := c.decode(&body); err != nil {
		return nil, Target{}, err
	}
	var f fieldErrors
	f.check(!removal || body.UsePrivateIP == nil, "target/removal", "use_private_ip", "unknown field")
	t := body.target(&f, "")
	return b, t, f.problem()
}

func addTarget(c *call) (reply, error) {
	b, wanted, err := targetOf(c, false)
	if err != nil {
		return reply{}, err
	}
	return c.change("add_target", b, func() (func(), error) {
		if err := c.project.addable(b, wanted); err != nil {
			return nil, err
		}
		return func() { b.Targets = append(slices.Clone(b.Targets), wanted) }, nil
	})
}

func removeTarget(c *call) (reply, error) {
	b, unwanted, err := targetOf(c, true)
	if err != nil {
		return reply{}, err
	}
	return c.change("remove_target", b, func() (func(), error) {
		at := slices.IndexFunc(b.Targets, func(t Target) bool { return t.key() == unwanted.key() })
		if at < 0 {
			return nil, broken("target/absent", "target not found")
		}
		return func() { b.Targets = slices.Delete(slices.Clone(b.Targets), at, at+1) }, nil
	})
}
