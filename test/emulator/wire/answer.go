package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// JSON answers with a status and a body. It is for writers that buffer, such as the front's, and
// panics when the body can't be encoded.
func JSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", body, err)) // an emulator's own types: a bug
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the front buffers: it can't fail
}

// Text answers 200 with plain text.
func Text(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) // the front buffers: it can't fail
}

// Indented returns a value as indented JSON, for messages of failed tests.
func Indented(value any) string {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}
