package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// Crowd is many Services made at once, while a Node joins and the cloud's limit is enforced.
type Crowd struct {
	// First is after how many seconds the first Service had its address, 0 where none had, and Node after how many at the most a Node was
	// initialised that joined meanwhile.
	First float64 `json:"first"`
	Node  float64 `json:"node"`
	// Addressed is how many of Services have their address after Seconds.
	Addressed int     `json:"addressed"`
	Services  int     `json:"services"`
	Seconds   float64 `json:"seconds"`
	Calls     Calls   `json:"calls"`
}

const (
	// crowdLasts is how long the Services of a crowd may take.
	crowdLasts = 240 * time.Second
	// crowdJoins is how long after one Node the next one joins.
	crowdJoins = 20 * time.Second
	// crowdFirst and crowdNode are what is promised, in seconds.
	crowdFirst, crowdNode = 30, 10
)

// crowd makes all Services at once.
func (r *run) crowd(ctx context.Context) error {
	if err := r.setReady(ctx, r.names, true); err != nil {
		return err
	}
	m := r.now()
	p, err := r.start(defaultProcess)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 20*time.Minute)
	defer cancel()
	if err := r.afterStart(ctx, p, m); err != nil {
		return err
	}
	r.lab.Cloud.SetQuota(r.facts.Quota)
	return r.crowded(ctx, p)
}

func (r *run) crowded(ctx context.Context, p *ccm.Process) error {
	m, result := r.now(), &Crowd{}
	services := r.lab.Client().CoreV1().Services(namespace)
	err := r.each(ctx, func(ctx context.Context, name string) error {
		_, err := services.Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
		}, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	r.progress("%d Services are made after %.1f s", r.options.Services, time.Since(m.at).Seconds())
	limited, cancel := context.WithTimeout(ctx, crowdLasts-time.Since(m.at))
	defer cancel()
	nodes := make(chan error, 1)
	go func() { nodes <- r.joinAmong(limited, result) }()
	err = r.watch.signal.Until(limited, func() bool { // counted below
		addressed := r.watch.addressed()
		if result.First == 0 && len(addressed) > 0 {
			result.First = time.Since(m.at).Seconds()
			r.progress("the first address after %.1f s", result.First)
		}
		return len(addressed) == r.options.Services
	})
	if err == nil {
		cancel()
	}
	if err := <-nodes; err != nil {
		return err
	}
	result.Services, result.Addressed, result.Seconds, result.Calls = r.options.Services, len(r.watch.addressed()), time.Since(m.at).Seconds(), r.calls(m)
	r.progress("%d of %d Services have an address after %.1f s, with %d requests", result.Addressed, r.options.Services, result.Seconds, result.Calls.Total)
	r.result.Crowd = result
	_, err = r.end(context.WithoutCancel(ctx), defaultProcess, p)
	return err
}

// joinAmong lets Nodes join one after the other, and notes the longest time until one was initialised, up to now where it never was.
func (r *run) joinAmong(ctx context.Context, result *Crowd) error {
	for {
		joined, want := time.Now(), r.watch.initialisedNodes()+1
		if err := r.joinMore(context.WithoutCancel(ctx), 1, true); err != nil {
			return err
		}
		_ = r.watch.signal.Until(ctx, func() bool { return r.watch.initialisedNodes() >= want }) // ends with the others
		result.Node = max(result.Node, time.Since(joined).Seconds())
		r.progress("a Node that joined was initialised after %.1f s at the most", result.Node)
		select {
		case <-time.After(crowdJoins):
		case <-ctx.Done():
			return nil
		}
	}
}

// crowd is what was measured of many Services at once.
func (r Result) crowd() Crowd {
	if r.Crowd == nil {
		return Crowd{}
	}
	return *r.Crowd
}

// violations of what is promised of a crowd.
func (c *Crowd) violations() (broken []string) {
	if c == nil {
		return nil
	}
	if after := cmp.Or(c.First, crowdLasts.Seconds()); after > crowdFirst {
		broken = append(broken, fmt.Sprintf("the first of many Services has its address after %.0f s, want %d", after, crowdFirst))
	}
	if c.Node > crowdNode {
		broken = append(broken, fmt.Sprintf("a Node beside many Services is initialised after %.0f s, want %d", c.Node, crowdNode))
	}
	return broken
}
