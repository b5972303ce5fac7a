package relay

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// identity is keystone's prefix.
const identity = "identity"

// service is one service of the lab behind its path prefix, its type in the catalogue.
type service struct{ prefix, base string }

var services = []service{
	{identity, "http://127.0.0.1:5000"},
	{"compute", "http://127.0.0.1:8774"},
	{"network", "http://127.0.0.1:9696"},
	{"load-balancer", "http://127.0.0.1:9876"},
	{"key-manager", "http://127.0.0.1:9311"},
	{"image", "http://127.0.0.1:9292"},
	{"placement", "http://127.0.0.1:8778"},
}

// services is the handler of all services.
func (r *Relay) services() http.Handler {
	mux := http.NewServeMux()
	for _, s := range services {
		target, err := url.Parse(s.base)
		if err != nil {
			panic(fmt.Sprintf("parsing a constant: %v", err))
		}
		proxy := &httputil.ReverseProxy{
			Rewrite: func(p *httputil.ProxyRequest) {
				p.SetURL(target)                    // also the Host, from which services make their links
				p.Out.Header.Del("Accept-Encoding") // bodies are rewritten
			},
			ModifyResponse: func(answer *http.Response) error { return r.redirect(s, answer) },
			// The service does not run: what the balancer in front of a real one answers.
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
				refuse(w, s.prefix, http.StatusServiceUnavailable)
			},
		}
		mux.Handle("/"+s.prefix+"/", http.StripPrefix("/"+s.prefix, proxy))
	}
	return mux
}

// redirect makes an answer lead back to the relay.
func (r *Relay) redirect(s service, answer *http.Response) error {
	if token := answer.Header.Get("X-Subject-Token"); token != "" && answer.StatusCode == http.StatusCreated {
		r.mu.Lock()
		r.tokens = append(r.tokens, token)
		r.mu.Unlock()
	}
	if location := answer.Header.Get("Location"); location != "" {
		answer.Header.Set("Location", strings.Replace(location, s.base, r.URL+"/"+s.prefix, 1))
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("reading an answer of %s: %w", s.prefix, err)
	}
	if err := answer.Body.Close(); err != nil {
		return fmt.Errorf("closing an answer of %s: %w", s.prefix, err)
	}
	body = r.rewrite(s, body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	answer.ContentLength = int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

// link is what leads to the next page or another version. References to secrets look alike but
// are names: they have to stay as they are.
var link = regexp.MustCompile(`"(href|next|previous)":\s*"`)

// rewrite changes the URLs in a body: in keystone's the catalogue of all services, in others'
// their own links.
func (r *Relay) rewrite(s service, body []byte) []byte {
	if s.prefix == identity {
		for _, other := range services {
			body = bytes.ReplaceAll(body, []byte(other.base), []byte(r.URL+"/"+other.prefix))
		}
		return body
	}
	var out []byte
	for {
		at := link.FindIndex(body)
		if at == nil {
			return append(out, body...)
		}
		out, body = append(out, body[:at[1]]...), body[at[1]:]
		if rest, ok := bytes.CutPrefix(body, []byte(s.base)); ok {
			out, body = append(append(out, r.URL...), "/"+s.prefix...), rest
		}
	}
}
