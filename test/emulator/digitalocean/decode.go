package digitalocean

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// decode reads the JSON body of a request. Text that is no JSON is refused with
// 400 (guess); an unknown field, a value of the wrong type or a second value
// with 422.
func decode(r *http.Request, into any) error {
	return decodeFrom(r.Body, into)
}

func decodeFrom(body io.Reader, into any) error {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		return unprocessable("a request body is required")
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return &problem{http.StatusBadRequest, "Unable to parse the request body as JSON"}
	case errors.As(err, &wrong):
		return unprocessable("%s is of the wrong type: %s", wrong.Field, wrong.Value)
	default:
		return unprocessable("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return unprocessable("the request body holds more than one value")
	}
	return nil
}
