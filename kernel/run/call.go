package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport/rate"
)

// caller is what the decorators of one cloud share.
type caller struct {
	cloud    string
	classify func(error) cloud.Failure
	metrics  metric.Sink
	// can are what addresses that the cloud answers are judged by.
	can cloud.Capabilities
}

// call runs one driver call with everything around it.
func call[T any](ctx context.Context, c *caller, op driverMethod, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(transport.WithOperation(ctx, op.name), cloud.CallTimeout)
	defer cancel()
	ctx = rate.WithCall(ctx, op.read)
	for try := 1; ; try++ {
		result, err := contain(func() (T, error) { return f(ctx) })
		if _, accepted := errors.AsType[*cloud.Running](err); err == nil || accepted {
			c.metrics.Set(metric.CloudState, 1, c.cloud)
			return result, err
		}
		failure := c.failure(err)
		if wait, ok := op.retry(failure, try); ok && transport.Sleep(ctx, wait) {
			continue
		}
		c.count(ctx, op, failure)
		return result, &cloud.Error{Failure: failure, Op: op.name, Err: err}
	}
}

// run is call for methods that return only an error.
func run(ctx context.Context, c *caller, op driverMethod, f func(context.Context) error) error {
	_, err := call(ctx, c, op, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// pure runs a method that does no I/O: nothing to bound, retry or measure.
func pure[T any](c *caller, op driverMethod, f func() (T, error)) (T, error) {
	result, err := contain(f)
	if err != nil {
		err = &cloud.Error{Failure: c.failure(err), Op: op.name, Err: err}
	}
	return result, err
}

// failure classifies an error. What our own transport and the driver said explicitly
// counts first; what the driver does not know may still be known to be a lack of an answer.
func (c *caller) failure(err error) cloud.Failure {
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	if _, ok := errors.AsType[*Panic](err); ok {
		return cloud.Failure{Class: cloud.FailureUnknown}
	}
	failure, panicked := contain(func() (cloud.Failure, error) { return c.classify(err), nil })
	if panicked != nil || failure.Class == "" {
		failure = cloud.Failure{Class: cloud.FailureUnknown}
	}
	if failure.Class == cloud.FailureUnknown && noAnswer(err) {
		failure.Class = cloud.FailureTransient
	}
	return failure
}

// noAnswer recognises failures of the network, but not our own refusal of a write.
func noAnswer(err error) bool {
	_, refused := errors.AsType[*transport.WriteRefused](err)
	return !refused && cloud.NoAnswer(err)
}

// count records a failed call, unless its own caller gave it up: that says nothing about
// the cloud.
func (c *caller) count(ctx context.Context, op driverMethod, failure cloud.Failure) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	c.metrics.Add(metric.CallFailures, 1, c.cloud, op.name, string(failure.Class))
	switch failure.Class {
	case cloud.FailureUnauthorized, cloud.FailureTransient, cloud.FailureUnreadable:
		c.metrics.Set(metric.CloudState, 0, c.cloud)
	case cloud.FailureUnknown:
		// Neither an answer nor the lack of one is certain.
	default:
		c.metrics.Set(metric.CloudState, 1, c.cloud)
	}
}

// Panic is the error a contained panic becomes. Its text does not have the stack.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Contain calls f and turns a panic into a *Panic error. It is for pure driver methods that
// Decorate cannot contain because they have no error result.
func Contain[T any](f func() T) (T, error) {
	return contain(func() (T, error) { return f(), nil })
}

func contain[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
