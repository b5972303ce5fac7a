// Package api is the client of the toy cloud's API. It stands in for the SDK that other clouds have,
// and is no part of the example.
package api

import "time"

// Account is who the token belongs to.
type Account struct {
	ID string `json:"id"`
}

// Machine is a virtual machine. Names need not be unique.
type Machine struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Zone string `json:"zone"`
	// Power is "running" or "stopped".
	Power string `json:"power"`
	IP    string `json:"ip"`
}

// MachineList is one page of machines.
type MachineList struct {
	Machines []Machine `json:"machines"`
	// Next is the "after" of the next page, "" on the last one.
	Next string `json:"next"`
}

// Balancer is a load balancer. Its listeners are objects of their own.
type Balancer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Internal can't be changed.
	Internal bool `json:"internal"`
	// HealthPort is where GET /healthz of a target has to answer 200.
	HealthPort int `json:"health_port"`
	// Targets are ids of machines.
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
	Address string            `json:"address"`
	// Status is "active", or "busy" after each change of the balancer or of a listener. A busy one
	// takes no change.
	Status string `json:"status"`
}

// BalancerList is all balancers asked for.
type BalancerList struct {
	Balancers []Balancer `json:"balancers"`
}

// Listener is an open port of a balancer. A balancer has one for each port at most.
type Listener struct {
	ID string `json:"id"`
	// BalancerID, Protocol ("tcp" or "udp") and Port can't be changed.
	BalancerID string `json:"balancer_id"`
	Protocol   string `json:"protocol"`
	Port       int    `json:"port"`
	TargetPort int    `json:"target_port"`
}

// ListenerList is all listeners of a balancer.
type ListenerList struct {
	Listeners []Listener `json:"listeners"`
}

// Failure is a refusal of the API.
type Failure struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Code is "" when the answer is not one of the API, such as a proxy's page.
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Codes that say more than their status.
const (
	CodeNotFound = "not_found"
	CodeQuota    = "quota_exceeded"
)
