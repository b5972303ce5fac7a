package balancer

func look() {}

func first() {}

func last() {}

func opened(int) {}

func rules() []*Manager {
	return []*Manager{{rule: look}, {rule: first}, {rule: last}, {rule: decide}}
}

type small struct{}

func (small) Size() {}

type large struct{}

func (large) Size() {}
