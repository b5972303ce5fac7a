package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Latency is how long requests to the API server took.
type Latency struct {
	MedianMilliseconds float64 `json:"medianMilliseconds"`
	P99Milliseconds    float64 `json:"p99Milliseconds"`
	Failed             int     `json:"failed"`
}

// probePeriod is how often somebody else asks the API server for something.
const probePeriod = 100 * time.Millisecond

// others asks the API server for a small object, as other programs do, until the returned function is
// called. That returns how long it took.
func others(ctx context.Context, client kubernetes.Interface) func() Latency {
	ctx, stop := context.WithCancel(ctx)
	taken, failed := make(chan []time.Duration, 1), 0
	go func() {
		var all []time.Duration
		for ticker := time.NewTicker(probePeriod); ; {
			select {
			case <-ctx.Done():
				ticker.Stop()
				taken <- all
				return
			case <-ticker.C:
			}
			began := time.Now()
			if _, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{}); err == nil {
				all = append(all, time.Since(began))
			} else if ctx.Err() == nil {
				failed++
			}
		}
	}()
	return func() Latency {
		stop()
		l := latencyOf(<-taken)
		l.Failed = failed
		return l
	}
}

func latencyOf(all []time.Duration) Latency {
	if len(all) == 0 {
		return Latency{}
	}
	slices.Sort(all)
	at := func(share float64) float64 {
		return float64(all[min(int(share*float64(len(all))), len(all)-1)]) / float64(time.Millisecond)
	}
	return Latency{MedianMilliseconds: at(0.5), P99Milliseconds: at(0.99)}
}

func (l Latency) String() string {
	return fmt.Sprintf("%.0f, p99 %.0f", l.MedianMilliseconds, l.P99Milliseconds)
}
