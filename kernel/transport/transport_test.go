package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric/metrictest"
)

// pipeListener is a network in memory, so that a real server and client can run on the clock
// of a synctest bubble.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	l.conns <- server
	return client, nil
}

// serve starts a real HTTP server in memory and returns a client with our transport to it.
func serve(t *testing.T, o Options, handler http.HandlerFunc) *http.Client {
	t.Helper()
	listener := &pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: handler}
	go server.Serve(listener)
	base := Base()
	base.Proxy = nil
	base.DialContext = listener.dial
	t.Cleanup(func() {
		base.CloseIdleConnections()
		server.Close()
	})
	return &http.Client{Transport: New(base, o)}
}

func get(ctx context.Context, client *http.Client) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cloud.test/v2/things", nil)
	if err != nil {
		return 0, "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	return response.StatusCode, string(all), err
}

func TestHungAnswers(t *testing.T) {
	hang := func(r *http.Request) { <-r.Context().Done() }
	tests := map[string]struct {
		handler http.HandlerFunc
		code    string
	}{
		"no header": {func(w http.ResponseWriter, r *http.Request) { hang(r) }, "error"},
		"no end of the body": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "half of")
			w.(http.Flusher).Flush()
			hang(r)
		}, "200"},
		"a drip": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, ".")
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		}, "200"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				metrics := metrictest.New()
				client := serve(t, Options{Cloud: "c", Metrics: metrics}, test.handler)
				start := time.Now()
				_, _, err := get(WithOperation(t.Context(), "list instances"), client)
				if elapsed := time.Since(start); elapsed != cloud.RequestTimeout {
					t.Errorf("ended after %v, want %v", elapsed, cloud.RequestTimeout)
				}
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no complete answer within 30s") {
					t.Errorf("error = %v, want one that tells of the time limit", err)
				}
				if n := metrics.Sum(metric.Requests, "c", "", "list instances", test.code); n != 1 {
					t.Errorf("requests = %v, want one with code %s", metrics.Sums, test.code)
				}
			})
		})
	}
}

// strange is a transport with its own words for a request that ended, as HTTP/2 has.
type strange struct{ headers bool }

func (s strange) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.headers {
		<-r.Context().Done()
		return nil, errors.New("stream closed")
	}
	return &http.Response{StatusCode: 200, Body: strangeBody{r.Context()}}, nil
}

type strangeBody struct{ ctx context.Context }

func (b strangeBody) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, errors.New("stream closed") }
func (b strangeBody) Close() error             { return nil }

func TestTimeLimitIsNamedWhateverTheTransportSays(t *testing.T) {
	for _, headers := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			client := &http.Client{Transport: New(strange{headers}, Options{})}
			if _, _, err := get(t.Context(), client); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("headers = %v: error = %v, want the time limit", headers, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, _, err := get(ctx, client); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("headers = %v: error = %v, want the transport's", headers, err)
			}
		})
	}
}

func TestSlowButFinishedAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "one ")
			w.(http.Flusher).Flush()
			time.Sleep(29 * time.Second)
			fmt.Fprint(w, "two")
		})
		if _, body, err := get(t.Context(), client); body != "one two" || err != nil {
			t.Errorf("body = %q, %v", body, err)
		}
	})
}

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := metrictest.New()
		client := serve(t, Options{Cloud: "c", QPS: 1, Metrics: metrics}, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(250 * time.Millisecond)
			w.Header().Set("RateLimit-Remaining", "42")
			w.WriteHeader(http.StatusTeapot)
		})
		for range 2 {
			if _, _, err := get(t.Context(), client); err != nil {
				t.Fatal(err)
			}
		}
		if n := metrics.Sum(metric.Requests, "c", "", "other", "418"); n != 2 {
			t.Errorf("requests = %v, want two with code 418", metrics.Sums)
		}
		if s := metrics.Sum(metric.RequestSeconds, "c", "", "other"); s != 0.5 {
			t.Errorf("requests took %v s, want 0.5 s without the wait", s)
		}
		if s := metrics.Sum(metric.LimiterWaitSeconds, "c", "", "refresh"); s != 0.75 {
			t.Errorf("requests waited %v s, want 0.75 s", s)
		}
		if left, _ := metrics.Gauge(metric.RateRemaining, "c", ""); left != 42 {
			t.Errorf("remaining = %v, want 42", left)
		}
	})
}

// The requests of a call are counted for the one who asks for that, and for nobody else.
func TestRequestsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, Options{Cloud: "c"}, func(http.ResponseWriter, *http.Request) {})
		counted, requests := cloud.CountRequests(t.Context())
		other, others := cloud.CountRequests(t.Context())
		for _, ctx := range []context.Context{counted, t.Context(), counted, other} {
			if _, _, err := get(ctx, client); err != nil {
				t.Fatal(err)
			}
		}
		if requests() != 2 || others() != 1 {
			t.Errorf("counted %d and %d requests, want 2 and 1", requests(), others())
		}
	})
}

func TestThrottledAnswerPausesAllLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		client := serve(t, Options{Limits: cloud.Limits{RequestsPerMinute: 250, RequestsPerHour: 5000}}, func(w http.ResponseWriter, _ *http.Request) {
			if requests++; requests == 1 {
				w.Header().Set("Retry-After", "12")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		start := time.Now()
		if status, _, err := get(t.Context(), client); status != 429 || err != nil {
			t.Fatalf("status = %d, %v; want the 429 as it is", status, err)
		}
		urgent := cloud.WithPriority(t.Context(), cloud.PriorityNodeInit)
		if status, _, err := get(urgent, client); status != 200 || err != nil || time.Since(start) != 12*time.Second {
			t.Errorf("status = %d, %v after %v; want 200 after 12 s", status, err, time.Since(start))
		}
	})
}

func TestDryRun(t *testing.T) {
	reads := func(r *http.Request) bool { return r.Header.Get("X-Action") == "Describe" }
	tests := []struct {
		dryRun  bool
		method  string
		action  string
		reads   func(*http.Request) bool
		refused bool
	}{
		{false, "POST", "", nil, false},
		{false, "DELETE", "", nil, false},
		{true, "GET", "", nil, false},
		{true, "HEAD", "", nil, false},
		{true, "POST", "", nil, true},
		{true, "PUT", "", nil, true},
		{true, "DELETE", "", nil, true},
		{true, "PATCH", "", nil, true},
		{true, "POST", "Describe", reads, false},
		{true, "POST", "Create", reads, true},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%t %s %s", test.dryRun, test.method, test.action), func(t *testing.T) {
			arrived := false
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived = true }))
			defer server.Close()
			client := &http.Client{Transport: New(nil, Options{DryRun: test.dryRun, ReadOnly: test.reads})}
			request, _ := http.NewRequest(test.method, server.URL+"/v2/lb?secret=1", strings.NewReader("{}"))
			request.Header.Set("X-Action", test.action)
			response, err := client.Do(request)
			if err == nil {
				response.Body.Close()
			}
			refused, ok := errors.AsType[*WriteRefused](err)
			if ok != test.refused || arrived == test.refused {
				t.Errorf("error = %v, arrived = %v; want refused = %v", err, arrived, test.refused)
			}
			if ok && refused.Error() != fmt.Sprintf("%s /v2/lb refused: nothing is written in dry-run mode", test.method) {
				t.Errorf("text = %q", refused)
			}
		})
	}
}

func TestUserAgent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.UserAgent())
	}))
	defer server.Close()
	client := &http.Client{Transport: New(nil, Options{UserAgent: "multicloud-ccm/1"})}
	for given, want := range map[string]string{"": "multicloud-ccm/1", "sdk/2": "sdk/2"} {
		request, _ := http.NewRequest(http.MethodGet, server.URL, nil)
		if given != "" {
			request.Header.Set("User-Agent", given)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if string(got) != want {
			t.Errorf("user agent = %q, want %q", got, want)
		}
		if after := request.Header.Get("User-Agent"); after != given {
			t.Errorf("the caller's request was changed to %q", after)
		}
	}
}

func TestNoServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	metrics := metrictest.New()
	client := &http.Client{Transport: New(nil, Options{Cloud: "c", Metrics: metrics})}
	if _, err := client.Get(server.URL); err == nil {
		t.Fatal("no error")
	}
	if n := metrics.Sum(metric.Requests, "c", "", "other", "error"); n != 1 {
		t.Errorf("requests = %v, want one with code error", metrics.Sums)
	}
}

func TestBaseTransportVerifiesAndSpeaksHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the refused handshake
	server.StartTLS()
	defer server.Close()

	if _, err := (&http.Client{Transport: Base()}).Get(server.URL); err == nil {
		t.Error("an unknown certificate was accepted")
	}
	trusting := Base()
	trusting.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	client := &http.Client{Transport: New(trusting, Options{})}
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if proto, _ := io.ReadAll(response.Body); string(proto) != "HTTP/2.0" {
		t.Errorf("protocol = %s, want HTTP/2.0", proto)
	}
}

// A driver's code that panics at an answer, again and again, leaves room for further requests.
func TestPanicsLeaveRoom(t *testing.T) {
	panics := true
	client := serve(t, Options{Throttled: func(*http.Response) bool {
		if panics {
			panic("an answer that nobody expected")
		}
		return false
	}}, func(http.ResponseWriter, *http.Request) {})
	ask := func() (err error) {
		defer func() { _ = recover() }()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cloud.example", nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}
	for range 50 {
		_ = ask()
	}
	panics = false
	if err := ask(); err != nil {
		t.Error(err)
	}
}
