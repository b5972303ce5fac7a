package bench

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// touchServices gives each Service an annotation that no load balancer has, and measures until all were ensured again.
func (r *run) touchServices(ctx context.Context, p *ccm.Process) error {
	before, err := r.ensured(ctx, time.Time{})
	if err != nil {
		return err
	}
	m := r.now()
	busy, err := p.CPUSoFar()
	if err != nil {
		return err
	}
	services := r.lab.Client().CoreV1().Services(namespace)
	err = r.each(ctx, func(ctx context.Context, name string) error {
		touch := []byte(`{"metadata":{"annotations":{"example.com/touched":"yes"}}}`)
		_, err := services.Patch(ctx, name, types.MergePatchType, touch, metav1.PatchOptions{})
		return err
	})
	if err != nil {
		return err
	}
	err = controlplane.Eventually(ctx, func(ctx context.Context) error {
		ensured, err := r.ensured(ctx, time.Time{})
		if err != nil {
			return err
		}
		for i := range r.options.Services {
			if name := fmt.Sprintf("%s%d", prefix, i); ensured[name] <= before[name] {
				return fmt.Errorf("the Service %s was not ensured again", name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	result := &r.result.Unchanged
	result.Seconds = time.Since(m.at).Seconds()
	if result.CPUSeconds, err = cpuSince(p, busy); err != nil {
		return err
	}
	if err := r.settle(ctx, time.Second); err != nil {
		return err
	}
	result.Calls = r.calls(m)
	result.Writes, err = r.writes(m)
	return err
}

// cpuSince is the processor time of a running process beyond what it had used before, in seconds.
func cpuSince(p *ccm.Process, before time.Duration) (float64, error) {
	now, err := p.CPUSoFar()
	return (now - before).Seconds(), err
}
