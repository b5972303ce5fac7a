package chaos

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// maxMemory is the most the process may take, in MiB.
const maxMemory = 200

// hostileAnswers puts something else in the place of the cloud's answers.
func hostileAnswers(ctx context.Context, a *arena) ([]Result, error) {
	const each = 5 * time.Second
	droplets, err := a.pool(ctx, 20)
	if err != nil {
		return nil, err
	}
	front := &impostor{real: a.Cloud}
	url, err := front.listen()
	if err != nil {
		return nil, err
	}
	defer func() { _ = front.server.Close() }()
	p, err := a.start(ctx, map[string]string{"DO_OVERRIDE_URL": url})
	if err != nil {
		return nil, err
	}
	if err := a.service(ctx, here, "web", nil); err != nil {
		return nil, err
	}
	if _, err := a.served(ctx, "web"); err != nil {
		return nil, err
	}
	if err := a.setNotReady(ctx, droplets[:10]...); err != nil {
		return nil, err
	}
	// A changed Service reads the cloud.
	results, err := front.attack(ctx, p, front.attacks(url), each, func(n int) error { return a.touch(ctx, "web", fmt.Sprint(n)) })
	if err != nil {
		return results, err
	}
	front.answer.Store(nil)
	recovered, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("not within a minute"))
	defer cancel()
	joined := a.join(recovered)
	gone, err := a.missing(ctx, droplets)
	if err != nil {
		return results, err
	}
	return append(results,
		count("all of them", "Nodes deleted", 0, len(gone), strings.Join(gone, " ")),
		count("all of them", "balancers lost", 0, 1-min(1, len(a.Cloud.State().Balancers)), ""),
		count("all of them", "requests that followed a redirect", 0, int(front.followed.Load()), ""),
		holds("the cloud is itself again", "a new Node is initialised within 60 s", joined),
	), nil
}

// impostor answers in the place of the cloud.
type impostor struct {
	real http.Handler
	// login answers what is asked before everything else, and reports whether it did; nil where nothing is.
	login    func(http.ResponseWriter, *http.Request) bool
	server   *http.Server
	answer   atomic.Pointer[http.HandlerFunc]
	followed atomic.Int64
	served   atomic.Int64
}

func (i *impostor) listen() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening: %w", err)
	}
	i.server = &http.Server{Handler: i, ReadHeaderTimeout: time.Minute}
	go func() { _ = i.server.Serve(listener) }() // ends with http.ErrServerClosed
	return "http://" + listener.Addr().String(), nil
}

// ServeHTTP implements http.Handler.
func (i *impostor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/elsewhere") {
		i.followed.Add(1)
		return
	}
	if i.login != nil && i.login(w, r) {
		return
	}
	if answer := i.answer.Load(); answer != nil {
		i.served.Add(1)
		(*answer)(w, r)
		return
	}
	i.real.ServeHTTP(w, r)
}

// attack answers everything in one way after the other, and says how much memory the process takes.
// stir makes the process ask.
func (i *impostor) attack(ctx context.Context, p *ccm.Process, attacks []hostility, each time.Duration, stir func(n int) error) ([]Result, error) {
	var results []Result
	for n, attack := range attacks {
		served := i.served.Load()
		i.answer.Store(&attack.answer)
		if err := stir(n); err != nil {
			return results, err
		}
		wait(ctx, each)
		memory, err := p.Memory()
		if err != nil {
			return append(results, holds(attack.name, "the process lives", fmt.Errorf("%w: %s", err, p.Tail()))), nil
		}
		answers := int(i.served.Load() - served)
		results = append(results, count(fmt.Sprintf("%s (%d answers)", attack.name, answers), "MiB of memory at the peak so far", maxMemory, int(memory.Peak>>20), ""))
		if answers == 0 {
			return results, fmt.Errorf("%s: nobody asked: %s", attack.name, p.Tail())
		}
	}
	return results, nil
}

// hostility is one kind of answer to all requests.
type hostility struct {
	name   string
	answer http.HandlerFunc
}

func (i *impostor) attacks(url string) []hostility {
	bomb := compressedItems()
	plain := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		}
	}
	return []hostility{
		{fmt.Sprintf("%d KB that are 2 GB of JSON", len(bomb)>>10), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}},
		{"small items without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(w, head(r))
			for block := strings.Repeat(`{},`, 1<<12); err == nil; {
				_, err = io.WriteString(w, block)
			}
		}},
		{"pages without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			next := `"links":{"pages":{"next":"` + url + `/v2/droplets?page=2","last":"` + url + `/v2/droplets?page=2"}}`
			_, _ = io.WriteString(w, head(r)+strings.Repeat(`{"id":1,"name":"a"},`, 199)+`{"id":1}],`+next+`}`)
		}},
		{"a page of HTML", plain("text/html", "<html><body>log in</body></html>")},
		{"nested without end", plain("application/json", strings.Repeat(`{"droplets":[`, 1<<20))},
		{"numbers beyond bounds", plain("application/json", `{"droplets":[{"id":1e999}],"load_balancers":[{"id":1e999}],"meta":{"total":1e999}}`)},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, url+"/elsewhere"+r.URL.Path, http.StatusTemporaryRedirect)
		}},
	}
}

// head begins a list of what was asked for.
func head(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	return `{"` + parts[min(1, len(parts)-1)] + `":[`
}

// compressedItems are 2 GB of droplets without anything, in gzip.
func compressedItems() []byte {
	return slices.Concat(compress(`{"droplets":[{}`), bytes.Repeat(compress(strings.Repeat(`,{}`, blockSize/3)), blocks))
}

// blocks of blockSize bytes are 2 GB.
const blocks, blockSize = 32, 64 << 20

// compress returns a text in gzip. Such parts can be joined to one stream.
func compress(text string) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a valid one
	_, _ = io.WriteString(w, text)                             // to memory
	_ = w.Close()
	return packed.Bytes()
}
