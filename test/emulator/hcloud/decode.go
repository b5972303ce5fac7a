package hcloud

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// decode reads the JSON body of a call strictly.
func (c *call) decode(into any) error {
	err := wire.Decode(c.Body, into)
	var malformed *wire.Malformed
	switch {
	case err == nil:
		return nil
	case errors.As(err, &malformed) && (malformed.Cause == wire.WrongType || malformed.Cause == wire.Unknown):
		return invalid("common/fields", malformed.Field, "%v", malformed)
	}
	return broken("common/json", "%s", err)
}

// empty refuses a body with fields; a missing one is good too.
func (c *call) empty() error {
	err := c.decode(&struct{}{})
	if p := (*problem)(nil); errors.As(err, &p) && p.message == (&wire.Malformed{Cause: wire.Empty}).Error() {
		return nil
	}
	return err
}

// fieldErrors collects what is wrong with a request. The answer names the rule of the first problem.
type fieldErrors struct {
	rule   string
	fields []fieldProblem
}

// add notes what is wrong with a field.
func (f *fieldErrors) add(rule, field, format string, args ...any) {
	if f.rule == "" {
		f.rule = rule
	}
	message := fmt.Sprintf(format, args...)
	for i := range f.fields {
		if f.fields[i].Name == field {
			f.fields[i].Messages = append(f.fields[i].Messages, message)
			return
		}
	}
	f.fields = append(f.fields, fieldProblem{Name: field, Messages: []string{message}})
}

// check adds the problem unless ok.
func (f *fieldErrors) check(ok bool, rule, field, format string, args ...any) {
	if !ok {
		f.add(rule, field, format, args...)
	}
}

// problem is the refusal, nil when nothing is wrong.
func (f *fieldErrors) problem() error {
	if len(f.fields) == 0 {
		return nil
	}
	p := broken(f.rule, "invalid input in field '%s'", f.fields[0].Name)
	p.fields = f.fields
	return p
}

// invalid is the refusal of one field.
func invalid(rule, field, format string, args ...any) error {
	var f fieldErrors
	f.add(rule, field, format, args...)
	return f.problem()
}

// The forms of labels, from the vendor's description.
var (
	labelKey   = regexp.MustCompile(`^([a-zA-Z0-9]([-_.a-zA-Z0-9]{0,251}[a-zA-Z0-9])?/)?[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$`)
	labelValue = regexp.MustCompile(`^([a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)?$`)
)

// labels checks the labels of a request.
func (f *fieldErrors) labels(labels map[string]string) {
	for key, value := range labels {
		f.check(labelKey.MatchString(key), "common/labels", "labels", "label key %q is not correctly formatted", key)
		f.check(labelValue.MatchString(value), "common/labels", "labels", "label value %q is not correctly formatted", value)
	}
}
