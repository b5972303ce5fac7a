package hcloud

import "slices"

func addService(c *call) (reply, error) {
	b, wanted, err := serviceOf(c)
	if err != nil {
		return reply{}, err
	}
	return c.change("add_service", b, func() (func(), error) {
		made := wanted.on(Service{})
		return c.project.withServices(b, made, append(slices.Clone(b.Services), made))
	})
}

func updateService(c *call) (reply, error) {
	b, wanted, err := serviceOf(c)
	if err != nil {
		return reply{}, err
	}
	if wanted.ListenPort == nil {
		return reply{}, invalid("service/ports", "listen_port", "is required")
	}
	return c.change("update_service", b, func() (func(), error) {
		at := b.at(*wanted.ListenPort)
		if at < 0 {
			return nil, broken("service/absent", "no service listens on port %d", *wanted.ListenPort)
		}
		services := slices.Clone(b.Services)
		services[at] = wanted.on(services[at])
		return c.project.withServices(b, services[at], services)
	})
}

// serviceOf reads the balancer and the service of a request.
func serviceOf(c *call) (*Balancer, *serviceRequest, error) {
	b, err := c.balancer()
	if err != nil {
		return nil, nil, err
	}
	var body serviceRequest
	return b, &body, c.decode(&body)
}

// withServices plans that a balancer has services, one of which is new or changed.
func (p *Project) withServices(b *Balancer, changed Service, services []Service) (func(), error) {
	var f fieldErrors
	changed.check(&f, "")
	if err := f.problem(); err != nil {
		return nil, err
	}
	if err := p.fits(b.Type, services, ""); err != nil {
		return nil, err
	}
	return func() { b.Services = services }, nil
}

// servicePort is the request to delete a service.
type servicePort struct {
	ListenPort int `json:"listen_port"`
}

func deleteService(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body servicePort
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	return c.change("delete_service", b, func() (func(), error) {
		at := b.at(body.ListenPort)
		if at < 0 {
			return nil, broken("service/absent", "no service listens on port %d", body.ListenPort)
		}
		return func() { b.Services = slices.Delete(slices.Clone(b.Services), at, at+1) }, nil
	})
}
