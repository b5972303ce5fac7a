package relay

import (
	"encoding/json"
	"net/http"
)

// refuse answers with an error in the form of a service.
func refuse(w http.ResponseWriter, service string, status int) {
	text := http.StatusText(status)
	var body any
	switch service {
	case "network":
		body = map[string]any{"NeutronError": map[string]string{"type": "Relay", "message": text, "detail": ""}}
	case "load-balancer":
		body = map[string]any{"faultcode": "Server", "faultstring": text, "debuginfo": nil}
	case "compute":
		body = map[string]any{wrapper(status): map[string]any{"code": status, "message": text}}
	case "key-manager":
		body = map[string]any{"code": status, "title": text, "description": text}
	default:
		body = map[string]any{"error": map[string]any{"code": status, "title": text, "message": text}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller left: nothing to do about it
}

// wrapper is the field in which nova wraps an error.
func wrapper(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "badRequest"
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusNotFound:
		return "itemNotFound"
	case http.StatusConflict:
		return "conflictingRequest"
	case http.StatusTooManyRequests, http.StatusRequestEntityTooLarge:
		return "overLimit"
	}
	return "computeFault"
}
