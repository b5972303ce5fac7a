package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// right is one that a request needs.
type right struct{ verb, group, resource, namespace, name string }

func (r right) String() string {
	text := r.verb + " " + r.resource
	if r.group != "" {
		text += "." + r.group
	}
	if r.name != "" {
		text += " " + r.name
	}
	if r.namespace != "" {
		text += " in " + r.namespace
	}
	return text
}

func (r right) attributes() *authorizationv1.ResourceAttributes {
	resource, sub, _ := strings.Cut(r.resource, "/")
	return &authorizationv1.ResourceAttributes{Verb: r.verb, Group: r.group, Resource: resource, Subresource: sub, Namespace: r.namespace, Name: r.name}
}

// lackError says that the doctor lacks a right.
type lackError struct{ right right }

func (e *lackError) Error() string {
	return fmt.Sprintf("the doctor may not %s: run it with an administrator's kubeconfig", e.right)
}

// fact is something that was read, or why it was not.
type fact[T any] struct {
	value T
	err   error
}

func missing[T any](err error) fact[T] { return fact[T]{err: err} }

// reader reads a cluster. It asks for a right before it uses it, so that no refusal is in the
// audit log.
type reader struct {
	client kubernetes.Interface
	mu     sync.Mutex
	asked  map[right]error
}

// may returns nil when the doctor has the right, and otherwise a *lackError or why that is not known.
func (r *reader) may(ctx context.Context, want right) error {
	r.mu.Lock()
	known, ok := r.asked[want]
	r.mu.Unlock()
	if ok {
		return known
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: want.attributes()}}
	answer, err := r.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	switch {
	case err != nil:
		err = fmt.Errorf("asking for the right to %s: %w", want, err)
	case !answer.Status.Allowed:
		err = &lackError{want}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[want] = err
	return err
}

// read returns what get returns, if the doctor has the right to it.
func read[T any](ctx context.Context, r *reader, want right, get func() (T, error)) fact[T] {
	if err := r.may(ctx, want); err != nil {
		return missing[T](err)
	}
	value, err := get()
	if err != nil {
		return missing[T](&readError{want, err})
	}
	return fact[T]{value: value}
}

// readError says that something could not be read although the doctor has the right to.
type readError struct {
	right right
	err   error
}

func (e *readError) Error() string { return fmt.Sprintf("could not %s: %v", e.right, e.err) }

func (e *readError) Unwrap() error { return e.err }

// unreadable reports whether the error is a failure, and not a lack of rights.
func unreadable(err error) bool {
	_, is := errors.AsType[*readError](err)
	return is
}
