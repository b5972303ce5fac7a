package transport

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// measure counts requests and how long the answer took, up to its headers.
type measure struct {
	next    http.RoundTripper
	cloud   string
	metrics metric.Sink
	apis    *apis
}

func (m *measure) RoundTrip(request *http.Request) (*http.Response, error) {
	operation := OperationOf(request.Context())
	api, _ := m.apis.of(request)
	start := time.Now()
	response, err := m.next.RoundTrip(request)
	code := "error"
	if err == nil {
		code = strconv.Itoa(response.StatusCode)
	}
	m.metrics.Add(metric.Requests, 1, m.cloud, api, operation, code)
	m.metrics.Observe(metric.RequestSeconds, time.Since(start).Seconds(), m.cloud, api, operation)
	return response, err
}

// otherOperation labels requests made outside of any driver call, such as those of a
// constructor.
const otherOperation = "other"

type operationKey struct{}

// WithOperation returns a context whose requests are measured under that name. kernel/run
// sets it for every driver call.
func WithOperation(ctx context.Context, op string) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the name of the driver call a context belongs to, "other" when none.
func OperationOf(ctx context.Context) string {
	if op, ok := ctx.Value(operationKey{}).(string); ok {
		return op
	}
	return otherOperation
}
