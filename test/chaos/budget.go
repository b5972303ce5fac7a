package chaos

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// asPublished has the CCM keep to the cloud's published limits.
const asPublished = "--cloud-api-qps=0"

// burst makes many valid Services at once, and lets a Node join meanwhile.
func burst(ctx context.Context, a *arena) ([]Result, error) {
	const services, first, join = 500, 30 * time.Second, 10 * time.Second
	if err := a.limited(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	addressed := make(chan error, 1)
	waiting, stop := context.WithTimeout(ctx, 4*first)
	defer stop()
	go func() {
		_, err := a.served(waiting, "web-0")
		addressed <- err
	}()
	if err := a.each(ctx, services, func(ctx context.Context, name string) error { return a.service(ctx, here, name, nil) }); err != nil {
		return nil, err
	}
	made := time.Now()
	if err := a.join(ctx); err != nil {
		return nil, err
	}
	joined := time.Since(made)
	if err := <-addressed; err != nil {
		return nil, err
	}
	done := fmt.Sprintf("%d Services at once, the cloud's limit enforced", services)
	return []Result{
		within(done+", and a Node joins", "until it is initialised", join, joined),
		within(done, "until the first one has an address", first, time.Since(began)),
	}, nil
}

// invalid makes many Services that ask for something impossible beside one that does not.
func invalid(ctx context.Context, a *arena) ([]Result, error) {
	const services = 1000
	if err := a.limited(ctx); err != nil {
		return nil, err
	}
	alone, err := a.timeOf(ctx, "alone")
	if err != nil {
		return nil, err
	}
	if err := a.namespace(ctx, greedy); err != nil {
		return nil, err
	}
	before := len(a.Cloud.Requests())
	wrong := map[string]string{"service.beta.kubernetes.io/do-loadbalancer-type": "REGIONAL", "service.beta.kubernetes.io/do-loadbalancer-protocol": "ftp"}
	if err := a.each(ctx, services, func(ctx context.Context, name string) error { return a.service(ctx, greedy, name, wrong) }); err != nil {
		return nil, err
	}
	beside, err := a.timeOf(ctx, "beside")
	if err != nil {
		return nil, err
	}
	// The Services are judged in the order in which they were made, so all were when the valid one is made.
	var asked []string
	for _, request := range a.Cloud.Requests()[before:] {
		if asked = append(asked, request.Route); request.Method == http.MethodPost {
			break
		}
	}
	done := fmt.Sprintf("%d Services with an invalid value", services)
	return []Result{
		within(done, "until another namespace's Service has an address, twice as long as alone and a look at it", 2*alone+firstLook, beside),
		count(done, "requests to the cloud until the next valid one is made", 20, len(asked), strings.Join(asked, ", ")),
	}, nil
}

const greedy = "greedy"

// firstLook is when a new load balancer is looked at that the answer to its creation did not show active. Of two of them one may be active
// at once, and the other only then.
const firstLook = time.Second

// limited starts a CCM on a small pool, with a cloud that enforces its limit.
func (a *arena) limited(ctx context.Context) error {
	if _, err := a.pool(ctx, 10); err != nil {
		return err
	}
	a.Cloud.SetQuota(a.Cloud.Facts().Quota)
	_, err := a.start(ctx, nil, asPublished)
	return err
}

// timeOf returns how long it takes until a new Service has its address.
func (a *arena) timeOf(ctx context.Context, name string) (time.Duration, error) {
	began := time.Now()
	if err := a.service(ctx, here, name, nil); err != nil {
		return 0, err
	}
	_, err := a.served(ctx, name)
	return time.Since(began), err
}

// namespace makes a namespace.
func (a *arena) namespace(ctx context.Context, name string) error {
	_, err := a.Client().CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// within is a result about a time that must not be longer than the bound.
func within(done, what string, bound, measured time.Duration) Result {
	return Result{
		Done: done, Bound: fmt.Sprintf("≤ %.1f s %s", bound.Seconds(), what), Measured: fmt.Sprintf("%.1f", measured.Seconds()), OK: measured <= bound,
	}
}
