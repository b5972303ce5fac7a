package transport

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// page is the limit of these tests: 100 items.
var page = cloud.Limits{PageSize: 100}

// flood writes a text until nobody reads any more, and returns how often it was written.
func flood(w io.Writer, text string) (times int) {
	block := []byte(strings.Repeat(text, 1<<14/len(text)))
	for {
		if _, err := w.Write(block); err != nil {
			return times
		}
		times++
	}
}

func compressed(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	flood(packed, text)
}

func TestHostileAnswersAreUnreadable(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"text without end":             func(w http.ResponseWriter, _ *http.Request) { flood(w, "a") },
		"small items without end":      func(w http.ResponseWriter, _ *http.Request) { flood(w, "{},") },
		"elements without end":         func(w http.ResponseWriter, _ *http.Request) { flood(w, "<item/>") },
		"nesting without end":          func(w http.ResponseWriter, _ *http.Request) { flood(w, "[") },
		"compressed text without end":  func(w http.ResponseWriter, _ *http.Request) { compressed(w, "a") },
		"compressed items without end": func(w http.ResponseWriter, _ *http.Request) { compressed(w, "{},") },
		"an error without end":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound); flood(w, "a") },
		"a compressed error without end": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusNotFound)
			flood(gzip.NewWriter(w), "a")
		},
		"another encoding": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "{}")
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, Options{Limits: page}, handler)
			_, body, err := get(t.Context(), client)
			if !cloud.IsClass(err, cloud.FailureUnreadable) {
				t.Errorf("error %v has class %q", err, cloud.FailureOf(err).Class)
			}
			if len(body) > page.MaxAnswer() {
				t.Errorf("%d bytes were read, the limit is %d", len(body), page.MaxAnswer())
			}
		})
	}
}

func TestAnswersWithinTheLimitAreRead(t *testing.T) {
	largest := strings.Repeat("a", page.MaxAnswer())
	for name, test := range map[string]struct {
		body   string
		status int
		fails  bool
	}{
		"the largest":              {largest, http.StatusOK, false},
		"a byte more":              {largest + "a", http.StatusOK, true},
		"the largest of an error":  {largest[:maxRefusal], http.StatusNotFound, false},
		"a byte more of an error":  {largest[:maxRefusal+1], http.StatusNotFound, true},
		"nothing":                  {"", http.StatusOK, false},
		"a refusal without a body": {"", http.StatusNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, Options{Limits: page}, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			})
			status, body, err := get(t.Context(), client)
			switch {
			case test.fails && !cloud.IsClass(err, cloud.FailureUnreadable):
				t.Errorf("error %v", err)
			case !test.fails && (err != nil || status != test.status || body != test.body):
				t.Errorf("status %d, %d bytes, error %v", status, len(body), err)
			}
		})
	}
}

// The body of an error says whether a 404 is one of the API: SDKs ignore what goes wrong with it.
func TestBrokenErrorIsNoAnswer(t *testing.T) {
	client := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"id":`)
	})
	if _, _, err := get(t.Context(), client); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	client := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		for n := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", n), strings.Repeat("a", maxHeader/50))
		}
	})
	if _, _, err := get(t.Context(), client); err == nil {
		t.Error("a header of any size is read")
	}
}

// Of large answers one is read at a time: the next one comes when the body before is closed.
func TestLargeAnswersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, Options{Limits: page}, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.Repeat("a", 2*smallAnswer))
		})
		first, err := client.Get("http://cloud.test/first")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(first.Body); err != nil {
			t.Fatal(err)
		}
		second := make(chan error, 1)
		go func() {
			_, _, err := get(t.Context(), client)
			second <- err
		}()
		synctest.Wait()
		select {
		case err := <-second:
			t.Fatalf("the second answer did not wait: %v", err)
		default:
		}
		first.Body.Close()
		if err := <-second; err != nil {
			t.Errorf("the second answer: %v", err)
		}
	})
}

// A body that nobody closes keeps the turn no longer than its request may take.
func TestForgottenBodyGivesItsTurnBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, Options{Limits: page}, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.Repeat("a", 2*smallAnswer))
			w.(http.Flusher).Flush()
			if r.URL.Path == "/stuck" {
				<-r.Context().Done()
			}
		})
		stuck, err := client.Get("http://cloud.test/stuck")
		if err != nil {
			t.Fatal(err)
		}
		defer stuck.Body.Close()
		if _, err := io.ReadFull(stuck.Body, make([]byte, 2*smallAnswer)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		late, cancel := context.WithTimeout(t.Context(), cloud.RequestTimeout/2)
		defer cancel()
		if _, _, err := get(late, client); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the turn is held: %v", err)
		}
		if _, _, err := get(t.Context(), client); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		if took := time.Since(start); took > cloud.RequestTimeout {
			t.Errorf("the turn was kept for %s", took)
		}
	})
}

func TestRedirectsAreRefused(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for location, named := range map[string]string{
			"http://elsewhere.test/path?token=hidden": `"http://elsewhere.test"`,
			"http://user:hidden@elsewhere.test/":      `"http://elsewhere.test"`,
			"/hidden":                                 `"http://cloud.test"`,
			"":                                        "nowhere",
			":hidden":                                 "nowhere",
		} {
			var hosts []string
			client := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				hosts = append(hosts, r.Host)
				if location != "" {
					w.Header().Set("Location", location)
				}
				w.WriteHeader(status)
			})
			_, _, err := get(t.Context(), client)
			if !cloud.IsClass(err, cloud.FailureUnreadable) {
				t.Errorf("%d to %q: error %v", status, location, err)
				continue
			}
			if !strings.Contains(err.Error(), "cloud.test leads to "+named) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%d to %q: %v", status, location, err)
			}
			if len(hosts) != 1 || hosts[0] != "cloud.test" {
				t.Errorf("%d to %q: requests to %q", status, location, hosts)
			}
		}
	}
}

// OpenStack's APIs answer with 300 where there are several versions.
func TestChoicesAreNoRedirect(t *testing.T) {
	client := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://elsewhere.test/v3")
		w.WriteHeader(http.StatusMultipleChoices)
		fmt.Fprint(w, "versions")
	})
	if status, body, err := get(t.Context(), client); err != nil || status != 300 || body != "versions" {
		t.Errorf("status %d, body %q, error %v", status, body, err)
	}
}

func TestLimitOfAnswers(t *testing.T) {
	for _, test := range []struct {
		limits cloud.Limits
		want   int
	}{
		{cloud.Limits{}, 1 << 20},
		{cloud.Limits{PageSize: 200}, 1<<20 + 200<<16},
		{cloud.Limits{PageSize: 1000}, 24 << 20},
		{cloud.Limits{PageSize: 1000, AnswerSize: 64 << 20}, 64 << 20},
	} {
		if got := test.limits.MaxAnswer(); got != test.want {
			t.Errorf("%+v: %d, want %d", test.limits, got, test.want)
		}
	}
}

func TestWeight(t *testing.T) {
	for text, want := range map[string]int{
		"":                0,
		"text":            4,
		`{"a":[1,2]}`:     11 + 2*objectWeight + valueWeight,
		"<a><b>1</b></a>": 15 + 2*elementWeight,
		"<item/>":         7 + elementWeight,
		`<a b="">`:        8 + elementWeight + attributeWeight,
		"</item>":         7,
		"cut off at <":    12 + elementWeight,
	} {
		if got := weight([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
