package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// smallAnswer is the size up to which answers are read side by side. Of larger ones one is
	// read at a time, so that many of them together need no more memory than one.
	smallAnswer = 256 << 10
	// maxRefusal is the largest body of an error status.
	maxRefusal = 256 << 10
)

// Guard returns what New puts around requests against hostile answers: one that is larger
// than the API's or leads elsewhere fails with *cloud.Unreadable.
func Guard(next http.RoundTripper, limits cloud.Limits) http.RoundTripper {
	return &redirect{next: &answer{next: next, limit: limits.MaxAnswer(), turn: make(chan struct{}, 1)}}
}

// answer bounds what the answers of a cloud can do to the memory of this process. The limit holds
// for what the SDK reads, after decompression, and counts what becomes of it: see weight.
//
//	answer                        becomes
//	larger than the limit         *cloud.Unreadable while it is read
//	large in memory               *cloud.Unreadable while it is decoded, where the SDK decodes what
//	                              it has read while the rest comes in: see growth
//	encoded as nobody asked for   *cloud.Unreadable when it is read
//	an error status               read at once; one that cannot be read whole is no answer, since
//	                              SDKs ignore what goes wrong with the body of an error
type answer struct {
	next  http.RoundTripper
	limit int
	// turn is held by the large answer that is being read. Its capacity is 1.
	turn chan struct{}
}

func (a *answer) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	limit := a.limit
	if response.StatusCode >= http.StatusBadRequest {
		limit = min(limit, maxRefusal)
	}
	body := &boundedBody{ReadCloser: response.Body, ctx: request.Context(), limit: limit, turn: a.turn}
	// net/http decompresses what it asked for itself, and then there is no such header.
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		body.refused = &cloud.Unreadable{Why: fmt.Sprintf("its encoding is %.40q, which was not asked for", encoding)}
	}
	response.Body = body
	if response.StatusCode < http.StatusBadRequest {
		return response, nil
	}
	content, err := io.ReadAll(body)
	_ = body.Close()
	if err != nil {
		return nil, fmt.Errorf("reading the answer with status %d: %w", response.StatusCode, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}

// boundedBody is a body that ends with an error when it is too large.
type boundedBody struct {
	io.ReadCloser
	ctx     context.Context // of the request
	limit   int
	size    int
	refused error
	turn    chan struct{}
	// release gives the turn back, nil as long as the body is small.
	release func()
	growth  growth
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	n, err := b.ReadCloser.Read(p)
	b.size += weight(p[:n])
	if b.size > b.limit {
		b.refused = &cloud.Unreadable{Why: fmt.Sprintf("it is larger than %d KiB", b.limit>>10)}
		return 0, b.refused
	}
	if b.size > smallAnswer && b.release == nil {
		if b.refused = b.wait(); b.refused != nil {
			return 0, b.refused
		}
	}
	if b.release != nil {
		if b.refused = b.growth.check(b.size); b.refused != nil {
			return 0, b.refused
		}
	}
	return n, err
}

// wait takes the turn until the body is closed, and for no longer than a request may take.
func (b *boundedBody) wait() error {
	ctx, cancel := context.WithTimeoutCause(b.ctx, cloud.RequestTimeout, errRequestTimeout)
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		defer cancel()
		return context.Cause(ctx)
	}
	giveBack := sync.OnceFunc(func() { <-b.turn })
	context.AfterFunc(ctx, giveBack)
	b.release = func() {
		giveBack()
		cancel()
	}
	return nil
}

// Close gives the turn back when what was read is decoded: SDKs close the body then.
func (b *boundedBody) Close() error {
	if b.release != nil {
		b.release()
	}
	return b.ReadCloser.Close()
}

// What a decoded value takes in memory beyond its text, in bytes. An object of three characters
// becomes a structure of some hundred bytes.
const (
	objectWeight  = 256
	elementWeight = 64
	// attributeWeight is that of an XML attribute. A text in JSON has few of its character.
	attributeWeight = 96
	valueWeight     = 4
)

// weight is what a part of an answer counts: its bytes, and those its values become. It takes
// characters in texts for those of the format, which only makes an answer larger than it is.
func weight(part []byte) int {
	size := len(part)
	for i, c := range part {
		switch c {
		case '{', '[':
			size += objectWeight
		case '<':
			if i+1 == len(part) || part[i+1] != '/' { // not the end of an element
				size += elementWeight
			}
		case '=':
			size += attributeWeight
		case ',':
			size += valueWeight
		}
	}
	return size
}
