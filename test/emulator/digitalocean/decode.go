package digitalocean

import (
	"errors"
	"io"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// decode reads the JSON body of a request. Text that is no JSON is refused with
// 400 (guess); an unknown field, a value of the wrong type or a second value
// with 422.
func decode(r *http.Request, into any) error {
	return decodeFrom(r.Body, into)
}

func decodeFrom(body io.Reader, into any) error {
	err := wire.Decode(body, into)
	var malformed *wire.Malformed
	switch {
	case err == nil:
		return nil
	case errors.As(err, &malformed) && malformed.Cause == wire.Syntax:
		return &problem{http.StatusBadRequest, "Unable to parse the request body as JSON"}
	}
	return unprocessable("%s", err)
}
