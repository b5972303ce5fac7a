package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// patience is for how long the runner may look for what a spec has left behind, or wait for a machine to
// be gone.
const patience = 10 * time.Minute

// runner is the process that has started this one. It knows the cloud.
type runner struct {
	url    string
	client http.Client
}

// newRunner returns nil for no URL.
func newRunner(at string) *runner {
	if at == "" {
		return nil
	}
	return &runner{url: strings.TrimSuffix(at, "/"), client: http.Client{Timeout: patience}}
}

// ended is what the runner hears of a spec.
type ended struct {
	Namespace string `json:"namespace"`
}

// after returns as an error what the runner has found.
func (r *runner) after(ctx context.Context, spec ended) error {
	return r.post(ctx, "/specs/after", spec)
}

// deleteNode deletes the machine in the cloud, and cuts its power.
func (r *runner) deleteNode(ctx context.Context, name string) error {
	return r.post(ctx, "/nodes/"+url.PathEscape(name)+"/delete", nil)
}

// post returns as an error what the runner answers, unless it agrees.
func (r *runner) post(ctx context.Context, path string, content any) error {
	var body []byte
	if content != nil {
		var err error
		if body, err = json.Marshal(content); err != nil {
			return fmt.Errorf("telling the runner: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("telling the runner: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := r.client.Do(request)
	if err != nil {
		return fmt.Errorf("telling the runner: %w", err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("reading the runner's answer: %w", err)
	}
	if answer.StatusCode/100 == 2 {
		return nil
	}
	if text := strings.TrimSpace(string(said)); text != "" {
		return fmt.Errorf("the runner found:\n%s", text)
	}
	return fmt.Errorf("the runner answered %s", answer.Status)
}
