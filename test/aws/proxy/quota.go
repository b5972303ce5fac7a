package proxy

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// quota is the most targets of a target group, 0 for any number. The text of the refusal is a guess; a driver has to go by the code.
type quota struct {
	most atomic.Int64

	mu     sync.Mutex
	groups map[string]map[string]bool
}

// exceeds reports whether a call would register more targets than the quota allows, and counts those that it registers.
func (q *quota) exceeds(call Call) bool {
	registers, deregisters := call.Action == "RegisterTargets", call.Action == "DeregisterTargets"
	if call.Service != Network || !registers && !deregisters {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	arn := call.Parameters.Get("TargetGroupArn")
	targets := maps.Clone(q.groups[arn])
	if targets == nil {
		targets = map[string]bool{}
	}
	for i := 1; ; i++ {
		id := call.Parameters.Get(fmt.Sprintf("Targets.member.%d.Id", i))
		if id == "" {
			break
		}
		if targets[id] = true; deregisters {
			delete(targets, id)
		}
	}
	if most := int(q.most.Load()); registers && most > 0 && len(targets) > most {
		return true
	}
	if q.groups == nil {
		q.groups = map[string]map[string]bool{}
	}
	q.groups[arn] = targets
	return false
}
