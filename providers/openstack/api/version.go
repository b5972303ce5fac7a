package api

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a version of an API.
type Version struct{ Major, Minor int }

// AtLeast compares versions.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// ParseVersion reads "2.47" and "v2.47".
func ParseVersion(text string) (Version, bool) {
	major, minor, _ := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	var v Version
	var err error
	if v.Major, err = strconv.Atoi(major); err != nil {
		return Version{}, false
	}
	v.Minor, err = strconv.Atoi(minor)
	return v, err == nil
}

func (v Version) String() string { return fmt.Sprintf("v%d.%d", v.Major, v.Minor) }

// V is a version of two numbers.
func V(major, minor int) Version { return Version{Major: major, Minor: minor} }
