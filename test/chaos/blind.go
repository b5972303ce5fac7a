package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// blind is a cloud whose reads of load balancers do not show what its writes have done.
type blind struct {
	real http.Handler
	// late is how old what it shows is; 0 shows no load balancer at all.
	late time.Duration

	mu     sync.Mutex
	on     bool
	shots  []shot
	orders map[string]int // creations that were asked for and answered, by name
}

// shot is what a list showed.
type shot struct {
	at  time.Time
	all []json.RawMessage
}

const balancersPath = "/v2/load_balancers"

// answer answers reads of load balancers while it is on, and counts creations. It is an impostor's login.
func (b *blind) answer(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, balancersPath) {
		return false
	}
	if r.Method == http.MethodPost && r.URL.Path == balancersPath {
		b.order(w, r)
		return true
	}
	b.mu.Lock()
	on := b.on
	b.mu.Unlock()
	if !on || r.Method != http.MethodGet {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	shown := b.shown(r)
	if id := strings.Trim(strings.TrimPrefix(r.URL.Path, balancersPath), "/"); id == "" {
		_ = json.NewEncoder(w).Encode(map[string]any{"load_balancers": shown, "links": map[string]any{}, "meta": map[string]int{"total": len(shown)}})
	} else if len(shown) == 1 {
		_ = json.NewEncoder(w).Encode(map[string]any{"load_balancer": shown[0]})
	} else {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"id":"not_found","message":"The resource you were accessing could not be found."}`)
	}
	return true
}

// order carries out a creation and counts it by the name that was asked for.
func (b *blind) order(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is cut short the emulator refuses
	r.Body = io.NopCloser(bytes.NewReader(body))
	var wanted struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(body, &wanted)
	answer := httptest.NewRecorder()
	b.real.ServeHTTP(answer, r)
	if answer.Code < 300 {
		b.mu.Lock()
		b.orders[wanted.Name]++
		b.mu.Unlock()
	}
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// shown are the load balancers that a read shows: those of its id or name, or all.
func (b *blind) shown(r *http.Request) []json.RawMessage {
	shown := []json.RawMessage{}
	if b.late == 0 {
		return shown
	}
	id, name := strings.Trim(strings.TrimPrefix(r.URL.Path, balancersPath), "/"), r.URL.Query().Get("name")
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.shots) - 1; i >= 0; i-- {
		if time.Since(b.shots[i].at) < b.late && i > 0 {
			continue
		}
		for _, raw := range b.shots[i].all {
			var lb struct{ ID, Name string }
			if json.Unmarshal(raw, &lb) == nil && (id == "" || lb.ID == id) && (name == "" || lb.Name == name) {
				shown = append(shown, raw)
			}
		}
		return shown
	}
	return shown
}

// watch remembers every second what the cloud has.
func (b *blind) watch(ctx context.Context, token string) {
	for ctx.Err() == nil {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, balancersPath+"?per_page=200", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		b.real.ServeHTTP(answer, r)
		var list struct {
			All []json.RawMessage `json:"load_balancers"`
		}
		if answer.Code == http.StatusOK && json.Unmarshal(answer.Body.Bytes(), &list) == nil {
			b.mu.Lock()
			b.shots = append(b.shots, shot{time.Now(), list.All})
			b.mu.Unlock()
		}
		wait(ctx, time.Second)
	}
}

func (b *blind) set(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.on = on
}

// most returns how often the load balancer of a name was made that was made most often.
func (b *blind) most() (most int, detail string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, times := range b.orders {
		if times > most {
			most, detail = times, name
		}
	}
	return most, detail
}

// blindReads lets reads show none of the load balancers, or what they were a while ago, while writes work. Old Services are touched
// and new ones made, and the process is killed once meanwhile.
func blindReads(late time.Duration) func(context.Context, *arena) ([]Result, error) {
	return func(ctx context.Context, a *arena) ([]Result, error) {
		const each = 15 * time.Second
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if _, err := a.pool(ctx, 3); err != nil {
			return nil, err
		}
		cloud := &blind{real: a.Cloud, late: late, orders: map[string]int{}}
		front := &impostor{real: a.Cloud, login: cloud.answer}
		url, err := front.listen()
		if err != nil {
			return nil, err
		}
		defer func() { _ = front.server.Close() }()
		go cloud.watch(ctx, a.Cloud.Secret())
		p, err := a.start(ctx, map[string]string{"DO_OVERRIDE_URL": url})
		if err != nil {
			return nil, err
		}
		if err := a.each(ctx, blindServices, func(ctx context.Context, name string) error {
			if err := a.service(ctx, here, name, nil); err != nil {
				return err
			}
			_, err := a.served(ctx, name)
			return err
		}); err != nil {
			return nil, err
		}
		cloud.set(true)
		touch := func(value string) error {
			return a.each(ctx, blindServices, func(ctx context.Context, name string) error { return a.touch(ctx, name, value) })
		}
		if err := touch("before"); err != nil {
			return nil, err
		}
		if err := a.each(ctx, blindServices, func(ctx context.Context, name string) error {
			return a.service(ctx, here, "new-"+name, nil)
		}); err != nil {
			return nil, err
		}
		wait(ctx, each)
		p.Kill()
		if _, err := a.start(ctx, map[string]string{"DO_OVERRIDE_URL": url}); err != nil {
			return nil, err
		}
		if err := touch("after"); err != nil {
			return nil, err
		}
		wait(ctx, each+late/2)
		cloud.set(false)
		return cloud.verdict(ctx, a)
	}
}

// blindServices is how many Services there are before, and how many more are made.
const blindServices = 5

// verdict waits until all Services are served, and compares cluster and cloud; then it deletes all.
func (b *blind) verdict(ctx context.Context, a *arena) ([]Result, error) {
	done := fmt.Sprintf("%d Services touched, %d new, one kill", blindServices, blindServices)
	both := func(ctx context.Context, do func(name string) error) error {
		return a.each(ctx, blindServices, func(_ context.Context, name string) error {
			if err := do(name); err != nil {
				return err
			}
			return do("new-" + name)
		})
	}
	served := both(ctx, func(name string) error {
		svc, err := a.served(ctx, name)
		if err == nil && !pointsAt(svc, a.Cloud.State().Balancers) {
			err = fmt.Errorf("%s has an address of no balancer", name)
		}
		return err
	})
	most, name := b.most()
	var names []string
	for _, lb := range a.Cloud.State().Balancers {
		names = append(names, lb.Name)
	}
	results := []Result{
		holds(done, "all are served once reads are true again", served),
		count(done, "load balancers made for one Service", 1, most, name),
		count(done, "duplicates", 0, max(0, len(names)-2*blindServices), strings.Join(names, " ")),
	}
	if served != nil {
		return results, nil
	}
	removed := both(ctx, func(name string) error { return a.remove(ctx, here, name) })
	left := a.Cloud.State().Balancers
	return append(results, holds("all Services deleted", "they go", removed), count("all Services deleted", "load balancers left", 0, len(left), "")), nil
}
