package transport

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// shy is a cloud with an API that is asked seldom.
func shy() Options {
	o := two
	o.Limits.AnswerSize = 4 << 20
	o.Limits.APIs = []cloud.API{{Name: "robot", RequestsPerHour: 200, Keep: 5 * time.Minute, Refused: 10 * time.Minute}}
	return o
}

// read returns status and body of an answer to a user.
func read(t *testing.T, client *http.Client, path, user string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://cloud.test"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(user, "secret")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Only answers that something is there are kept, for the same request of the same user, and until something
// is absent.
func TestKeptAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		client := serve(t, shy(), func(w http.ResponseWriter, r *http.Request) {
			sent++
			switch {
			case strings.HasSuffix(r.URL.Path, "/gone"):
				w.WriteHeader(http.StatusNotFound)
			case strings.HasSuffix(r.URL.Path, "/broken"):
				w.WriteHeader(http.StatusInternalServerError)
			case strings.HasSuffix(r.URL.Path, "/large"):
				fmt.Fprint(w, strings.Repeat("x", maxKeptAnswer+10))
			default:
				user, _, _ := r.BasicAuth()
				fmt.Fprintf(w, "%d for %s", sent, user)
			}
		})
		for _, step := range []struct {
			path, user string
			after      time.Duration
			asked      bool
		}{
			{"/robot/server", "a", 0, true},
			{"/robot/server", "a", 4 * time.Minute, false},
			{"/robot/server", "b", 0, true},
			{"/robot/server?x=y", "a", 0, true},
			{"/robot/server", "a", time.Minute, true},
			{"/robot/broken", "a", 0, true},
			{"/robot/broken", "a", 0, true},
			{"/robot/server", "a", 0, false},
			{"/robot/gone", "a", 0, true},
			{"/robot/server", "a", 0, true},
			{"/robot/gone", "a", 0, true},
			{"/robot/large", "a", 0, true},
			{"/robot/large", "a", 0, true},
			{"/v1/servers", "a", 0, true},
			{"/v1/servers", "a", 0, true},
		} {
			time.Sleep(step.after)
			before := sent
			status, body := read(t, client, step.path, step.user)
			if asked := sent > before; asked != step.asked {
				t.Errorf("%+v: asked %t", step, asked)
			}
			if status == http.StatusOK && len(body) < 100 && !strings.HasSuffix(body, " for "+step.user) || len(body) > 100 && len(body) != maxKeptAnswer+10 {
				t.Errorf("%+v: %d %.40q", step, status, body)
			}
		}
	})
}

// What is kept is bounded, whatever is asked for.
func TestKeptSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(shy().Limits.APIs[0])
		for i := range 10000 {
			key := requestKey{request: [32]byte{byte(i), byte(i >> 8)}}
			s.put(key, time.Now().Add(time.Nanosecond), &keptAnswer{answer: http.Response{StatusCode: http.StatusOK}, body: make([]byte, 1000)})
		}
		if s.size > maxKept || len(s.kept) < 500 {
			t.Errorf("%d answers of %d bytes", len(s.kept), s.size)
		}
		time.Sleep(time.Hour)
		s.find(requestKey{}.request)
		if s.size != 0 || len(s.kept) != 0 {
			t.Errorf("after an hour: %d answers of %d bytes", len(s.kept), s.size)
		}
	})
}

// Many who ask the same at once cost one request.
func TestSameRequestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		client := serve(t, shy(), func(w http.ResponseWriter, _ *http.Request) {
			sent.Add(1)
			time.Sleep(time.Second)
			fmt.Fprint(w, "all")
		})
		for range 20 {
			go func() {
				if _, body := read(t, client, "/robot/server", "a"); body != "all" {
					t.Errorf("answer %q", body)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		if sent.Load() != 1 {
			t.Errorf("%d requests", sent.Load())
		}
	})
}

// A login that is refused is not tried again for as long as declared, and another one at once.
func TestRefusedCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		var warnings []string
		o := shy()
		o.Warn = func(message string) { warnings = append(warnings, message) }
		client := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
			sent++
			if user, _, _ := r.BasicAuth(); user != "right" {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, "who?")
			}
		})
		for i := range 9 {
			if status, body := read(t, client, fmt.Sprintf("/robot/server/%d", i), "wrong"); status != http.StatusUnauthorized || body != "who?" {
				t.Errorf("status %d, %q", status, body)
			}
			time.Sleep(time.Minute)
		}
		if sent != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], "robot") || !strings.Contains(warnings[0], "10m0s") {
			t.Errorf("%d requests in ten minutes, warnings %q", sent, warnings)
		}
		if status, _ := read(t, client, "/robot/server/1", "right"); status != http.StatusOK {
			t.Errorf("other credentials: status %d", status)
		}
		time.Sleep(time.Minute)
		if read(t, client, "/robot/server/1", "wrong"); sent != 3 {
			t.Errorf("%d requests after ten minutes, want another one", sent)
		}
	})
}
