package wire

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Cause is what is wrong with a body.
type Cause int

// The causes.
const (
	// Empty is a body without a value.
	Empty Cause = iota
	// Syntax is text that is no JSON.
	Syntax
	// WrongType is a value of a type that its field does not have.
	WrongType
	// Unknown is a field that does not exist.
	Unknown
	// Extra is more than one value.
	Extra
)

// Malformed says why a body can't be read.
type Malformed struct {
	Cause Cause
	// Field is the name of the field, with the names above it when the type is wrong; "" when the
	// cause is not about one.
	Field string
	// Value is what the field has, as in "string" or "number 1.5".
	Value string
}

// Error implements error.
func (m *Malformed) Error() string {
	switch m.Cause {
	case Empty:
		return "a request body is required"
	case Syntax:
		return "the request body is no JSON"
	case WrongType:
		return m.Field + " is of the wrong type: " + m.Value
	case Unknown:
		return "unknown field \"" + m.Field + "\""
	default:
		return "the request body holds more than one value"
	}
}

// Decode reads a JSON body. It refuses unknown fields, values of the wrong type and a second value,
// with a *Malformed.
func Decode(body io.Reader, into any) error {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		return &Malformed{Cause: Empty}
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return &Malformed{Cause: Syntax}
	case errors.As(err, &wrong):
		return &Malformed{Cause: WrongType, Field: wrong.Field, Value: wrong.Value}
	default:
		field := strings.TrimPrefix(err.Error(), "json: unknown field ")
		return &Malformed{Cause: Unknown, Field: strings.Trim(field, `"`)}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return &Malformed{Cause: Extra}
	}
	return nil
}
