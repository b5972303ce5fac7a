package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// hooks is what the suite calls: after each spec, and to delete a machine.
type hooks struct {
	watch *watch
	// deleteNode deletes the machine of a node in the cloud and cuts its power.
	deleteNode func(name string) error
}

// serve listens on an address until the context ends, and returns its URL.
func (h hooks) serve(ctx context.Context, address string) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return "", fmt.Errorf("listening for the suite: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /specs/after", h.after)
	mux.HandleFunc("POST /nodes/{name}/delete", func(rw http.ResponseWriter, r *http.Request) {
		if err := h.deleteNode(r.PathValue("name")); err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: waitLimit}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), nil
}

// after answers with what was found in the namespace of the spec.
func (h hooks) after(rw http.ResponseWriter, r *http.Request) {
	var spec struct{ Namespace string }
	if err := json.NewDecoder(r.Body).Decode(&spec); err != nil {
		http.Error(rw, "reading the request: "+err.Error(), http.StatusBadRequest)
		return
	}
	if found := h.watch.findings(r.Context(), spec.Namespace); len(found) > 0 {
		rw.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(rw, strings.Join(found, "\n"))
	}
}
