package object

import (
	"cmp"
	"strconv"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
)

type request = godo.LoadBalancerRequest

// value reads and writes a field of a request, as annotations have it.
type value struct {
	read func(r *request) string
	// write is the inverse of read. "" is off; a text stays then.
	write func(r *request, value string)
}

func text(at func(r *request) *string) value {
	return value{
		func(r *request) string { return *at(r) },
		func(r *request, value string) { *at(r) = cmp.Or(value, *at(r)) },
	}
}

func flag(at func(r *request) *bool) value {
	return value{
		func(r *request) string { return strconv.FormatBool(*at(r)) },
		func(r *request, value string) { *at(r) = value == "true" },
	}
}

// optionalFlag is one that the API leaves out where it is off.
func optionalFlag(at func(r *request) **bool) value {
	return value{
		func(r *request) string { return strconv.FormatBool(*at(r) != nil && **at(r)) },
		func(r *request, value string) { *at(r) = godo.PtrTo(value == "true") },
	}
}

// idleSeconds is a timeout. A request that says nothing of it goes on saying nothing where the standard one is asked for.
func idleSeconds(at func(r *request) **uint64) value {
	return value{
		func(r *request) string {
			if seconds := *at(r); seconds != nil && *seconds > 0 {
				return strconv.FormatUint(*seconds, 10)
			}
			return option.StandardTimeout
		},
		func(r *request, value string) {
			seconds, err := strconv.ParseUint(value, 10, 64)
			if silent := *at(r) == nil && value == option.StandardTimeout; err == nil && !silent {
				*at(r) = &seconds
			}
		},
	}
}

func sessions(at func(r *request) **godo.StickySessions) value {
	return value{
		func(r *request) string {
			if s := *at(r); s != nil && s.Type == option.StickyCookies {
				return option.Cookies(s.CookieName, s.CookieTtlSeconds)
			}
			return option.StickyNone
		},
		func(r *request, value string) {
			*at(r) = &godo.StickySessions{Type: option.StickyNone}
			if name, seconds, ok := option.ParseCookies(value); ok {
				*at(r) = &godo.StickySessions{Type: option.StickyCookies, CookieName: name, CookieTtlSeconds: seconds}
			}
		},
	}
}
