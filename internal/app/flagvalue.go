package app

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// wanted are the values that flags of a type take, in plain words.
var wanted = map[string]string{
	"bool":           "true or false",
	"duration":       "a time with its unit, such as 30s, 5m or 1h30m",
	"stringSlice":    "texts separated by commas",
	"stringToString": "key=value, separated by commas",
	"float":          "a number",
	"int":            "a whole number",
	"uint":           "a whole number that is not negative",
}

// duration is the form of a time. One of this form that is refused is too long.
var duration = regexp.MustCompile(`^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)

// wantedOf returns what a flag wants, "" where its type does not say. Types end with the size of a number.
func wantedOf(f *pflag.Flag, cause *pflag.InvalidValueError) string {
	if f.Value.Type() == "duration" && duration.MatchString(cause.GetValue()) {
		return fmt.Sprintf("at most %dh", math.MaxInt64/time.Hour)
	}
	if want := wanted[strings.TrimRight(f.Value.Type(), "0123456789")]; want != "" {
		return want
	}
	if _, number := errors.AsType[*strconv.NumError](cause); number {
		return "a number"
	}
	return ""
}

// plainly says what is wrong with a flag. The library says it in the words of the functions of Go that read values.
func plainly(err error) string {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	if want := wantedOf(invalid.GetFlag(), invalid); want != "" {
		return fmt.Sprintf("--%s=%s: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
	}
	return err.Error()
}
