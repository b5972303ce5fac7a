package object

// Answer is what Octavia answers to the creation of a load balancer with all that it has.
type Answer struct {
	Balancer
	Pools []struct {
		ID      string   `json:"id"`
		Members []Member `json:"members"`
		Monitor Monitor  `json:"healthmonitor"`
	} `json:"pools"`
}

// Snapshot returns what is behind the listeners of the new balancer.
func (a Answer) Snapshot() *Snapshot {
	s := &Snapshot{LB: a.Balancer, Answer: true, Members: map[string][]Member{}, Monitors: map[string]Monitor{}}
	for _, p := range a.Pools {
		if s.Members[p.ID] = p.Members; p.Monitor.ID != "" {
			s.Monitors[p.ID] = p.Monitor
		}
	}
	return s
}
