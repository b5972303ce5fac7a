package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/keymutex"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport/rate"
)

// maxKeptAnswer is the largest body that is kept.
const maxKeptAnswer = 1 << 20

// keep answers requests of an API which declares that it may be asked seldom, see cloud.API:
//
//	answer   to     serves
//	200      a GET  the same request, for cloud.API.Keep
//	401      a GET  every request with the same credentials, for cloud.API.Refused
//	404      a GET  nothing, and what was kept of the API is forgotten: something is gone, and whatever is
//	                decided about that has to be seen after it
//
// The same request is sent by one caller at a time, so that many who ask at once cost one request.
type keep struct {
	next   http.RoundTripper
	apis   *apis
	warn   func(message string)
	turns  keymutex.Mutex
	stores map[string]*store // by name of the API
}

func newKeep(next http.RoundTripper, apis *apis, o Options) *keep {
	k := &keep{next: next, apis: apis, warn: o.Warn, stores: map[string]*store{}}
	for _, api := range o.Limits.APIs {
		if api.Keep > 0 || api.Refused > 0 {
			k.stores[api.Name] = newStore(api)
		}
	}
	return k
}

func (k *keep) RoundTrip(request *http.Request) (*http.Response, error) {
	name, _ := k.apis.of(request)
	store := k.stores[name]
	if store == nil || request.Method != "" && request.Method != http.MethodGet {
		return k.next.RoundTrip(request)
	}
	key, err := keyOfRequest(request)
	if err != nil {
		closeBody(request)
		return nil, err
	}
	unlock, err := k.turns.Lock(request.Context(), string(key.request[:]))
	if err != nil {
		closeBody(request)
		return nil, rate.Waited(err)
	}
	defer unlock()
	use := usageOf(request.Context())
	if kept := k.find(store, key); kept != nil {
		closeBody(request)
		use.add(func() { store.forget(key) }, true)
		return kept.response(request), nil
	}
	asked := time.Now()
	response, err := k.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	use.add(func() { store.forget(key) }, false)
	return k.learn(store, request, key, asked, response)
}

// find returns what may answer a request, nil for nothing. Where several APIs take the same credentials, the refusal of one
// counts for all.
func (k *keep) find(own *store, key requestKey) *keptAnswer {
	for _, store := range k.stores {
		if refusal := store.find(key.credentials); refusal != nil {
			return refusal
		}
	}
	return own.find(key.request)
}

// learn keeps an answer, and returns it with its body from the start.
func (k *keep) learn(store *store, request *http.Request, key requestKey, asked time.Time, response *http.Response) (*http.Response, error) {
	switch {
	case response.StatusCode == http.StatusNotFound:
		store.doubt()
		return response, nil
	case response.StatusCode == http.StatusUnauthorized && store.api.Refused > 0:
		if k.warn != nil {
			k.warn(fmt.Sprintf("the API %s refuses the credentials: nothing is sent to it with them for %s", store.api.Name, store.api.Refused))
		}
	case response.StatusCode != http.StatusOK || store.api.Keep == 0:
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxKeptAnswer+1))
	if err != nil {
		response.Body.Close()
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > maxKeptAnswer {
		response.Body = &joinedBody{Reader: io.MultiReader(bytes.NewReader(body), response.Body), Closer: response.Body}
		return response, nil
	}
	response.Body.Close()
	kept := &keptAnswer{answer: *response, body: body}
	kept.answer.Request, kept.answer.Body = nil, nil
	store.put(key, asked, kept)
	return kept.response(request), nil
}

// joinedBody is a body of which a part was read.
type joinedBody struct {
	io.Reader
	io.Closer
}

// requestKey says which requests are the same. It is made of digests, so that nothing secret is kept.
type requestKey struct{ request, credentials [sha256.Size]byte }

// keyOfRequest takes all headers for credentials: each cloud has its own way to authorize.
func keyOfRequest(request *http.Request) (requestKey, error) {
	var text bytes.Buffer
	if err := request.Header.Write(&text); err != nil { // sorted
		return requestKey{}, err
	}
	key := requestKey{credentials: sha256.Sum256(text.Bytes())}
	fmt.Fprintf(&text, "\n%s", request.URL)
	key.request = sha256.Sum256(text.Bytes())
	return key, nil
}

// keptAnswer is an answer whose body was read.
type keptAnswer struct {
	answer http.Response
	body   []byte
	until  time.Time
}

// response is the answer to a request, as if it had just come.
func (k *keptAnswer) response(request *http.Request) *http.Response {
	answer := k.answer
	answer.Header, answer.Request = k.answer.Header.Clone(), request
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(k.body)), int64(len(k.body))
	return &answer
}

// Usage is which answers the requests of a context got that are kept for a while, see cloud.API.Keep. Nil notes
// nothing.
type Usage struct {
	mu     sync.Mutex
	forget []func()
	// served says that an answer was not new.
	served bool
}

type usageKey struct{}

// WithUsage returns a context whose requests note which answers they got.
func WithUsage(ctx context.Context) (context.Context, *Usage) {
	use := &Usage{}
	return context.WithValue(ctx, usageKey{}, use), use
}

func usageOf(ctx context.Context) *Usage {
	use, _ := ctx.Value(usageKey{}).(*Usage)
	return use
}

func (u *Usage) add(forget func(), served bool) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget = append(u.forget, forget)
	u.served = u.served || served
}

// Drop has all of them asked for again, and reports whether one was not new.
func (u *Usage) Drop() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, forget := range u.forget {
		forget()
	}
	served := u.served
	u.forget, u.served = nil, false
	return served
}
