package aws

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// headSize is how much of an answer is looked at: a declaration, white space and the name of the
// first element are less.
const headSize = 512

// answers makes sure that an answer is one of the API. The SDK takes any document for a list of
// machines that is empty, such as the page of a proxy where one has to log in.
type answers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		// The SDK closes the body as soon as the answer begins, and then says io.EOF where
		// io.WriterTo says nil: net/http, if it has still to see the end, closes the connection
		// below the answer. Without WriteTo it does not.
		r = r.Clone(r.Context())
		r.Body = readCloser{r.Body, r.Body}
	}
	answer, err := a.next.RoundTrip(r)
	operation := awsmiddleware.GetOperationName(r.Context())
	// A GET is one for the credentials of that operation.
	if err != nil || r.Method != http.MethodPost || answer.StatusCode != http.StatusOK || !strings.HasPrefix(operation, "Describe") {
		return answer, err
	}
	body := bufio.NewReaderSize(answer.Body, headSize)
	// A short answer ends before; whatever is wrong with it, the SDK finds out when it reads on.
	head, _ := body.Peek(headSize)
	if !bytes.Contains(head, []byte("<"+operation+"Response")) {
		answer.Body.Close()
		return nil, fmt.Errorf("%w: no %sResponse", errUnreadable, operation)
	}
	answer.Body = readCloser{body, answer.Body}
	return answer, nil
}

// readCloser is a body that can do nothing else.
type readCloser struct {
	io.Reader
	io.Closer
}
