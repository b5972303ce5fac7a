package hcloud_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// librarys are the client library's types by their names.
var librarys = map[string]reflect.Type{}

func init() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[schema.Action](), reflect.TypeFor[schema.Location](), reflect.TypeFor[schema.Server](), reflect.TypeFor[schema.Network](),
		reflect.TypeFor[schema.LoadBalancerType](), reflect.TypeFor[schema.LoadBalancer](), reflect.TypeFor[schema.Certificate](),
		reflect.TypeFor[schema.Meta](), reflect.TypeFor[schema.ErrorResponse](),
		reflect.TypeFor[schema.NetworkActionAddRouteRequest](), reflect.TypeFor[schema.NetworkActionDeleteRouteRequest](),
		reflect.TypeFor[schema.CertificateCreateRequest](), reflect.TypeFor[schema.CertificateUpdateRequest](),
		reflect.TypeFor[schema.LoadBalancerCreateRequest](), reflect.TypeFor[schema.LoadBalancerUpdateRequest](),
		reflect.TypeFor[schema.LoadBalancerActionAddTargetRequest](), reflect.TypeFor[schema.LoadBalancerActionRemoveTargetRequest](),
		reflect.TypeFor[schema.LoadBalancerActionAddServiceRequest](), reflect.TypeFor[schema.LoadBalancerActionUpdateServiceRequest](),
		reflect.TypeFor[schema.LoadBalancerDeleteServiceRequest](), reflect.TypeFor[schema.LoadBalancerActionChangeProtectionRequest](),
		reflect.TypeFor[schema.LoadBalancerActionChangeAlgorithmRequest](), reflect.TypeFor[schema.LoadBalancerActionChangeTypeRequest](),
		reflect.TypeFor[schema.LoadBalancerActionAttachToNetworkRequest](), reflect.TypeFor[schema.LoadBalancerActionDetachFromNetworkRequest](),
		reflect.TypeFor[schema.LoadBalancerActionChangeDNSPtrRequest](),
	} {
		librarys[t.Name()] = t
	}
}

// differences are those that are meant, with the reason.
var differences = map[string]string{
	"LoadBalancerActionRemoveTargetRequest.use_private_ip": "read to refuse it: rule target/removal",
	"Certificate.status.error.details":                     "the library keeps it raw; the emulator answers null",
	"ErrorResponse.error.details":                          "the library keeps it raw; its fields are compared in TestDetails",
}

// Both have the same fields, of the same kinds, all the way down.
func TestFieldsAreThoseOfTheLibrary(t *testing.T) {
	if want, got := slices.Sorted(maps.Keys(librarys)), slices.Sorted(maps.Keys(hcloud.Views)); !slices.Equal(want, got) {
		t.Fatalf("types %v, want %v", got, want)
	}
	used := map[string]bool{}
	for name, theirs := range librarys {
		for where, what := range compare(name, hcloud.Views[name], theirs, 0) {
			if differences[where] == "" {
				t.Errorf("%s: %s", where, what)
			}
			used[where] = true
		}
	}
	for where := range differences {
		if !used[where] {
			t.Errorf("%s does not differ any more", where)
		}
	}
}

func TestDetails(t *testing.T) {
	details := hcloud.Views["ErrorResponse"].Field(0).Type.Field(2).Type
	for where, what := range compare("details", details, reflect.TypeFor[schema.ErrorDetailsInvalidInput](), 0) {
		t.Errorf("%s: %s", where, what)
	}
}

// The comparison finds what it is for.
func TestTheComparisonFinds(t *testing.T) {
	type theirs struct {
		A int `json:"a"`
		B struct {
			C []string `json:"c"`
		} `json:"b"`
	}
	type ours struct {
		B struct {
			C []int `json:"c"`
			D int   `json:"d"`
		} `json:"b"`
	}
	got := compare("x", reflect.TypeFor[ours](), reflect.TypeFor[theirs](), 0)
	if want := []string{"x.a", "x.b.c", "x.b.d"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("differences %v, want %v", got, want)
	}
}

// deep is how far types that contain themselves are compared: targets of targets.
const deep = 8

// compare says what differs between two types, by where.
func compare(where string, ours, theirs reflect.Type, depth int) map[string]string {
	ours, theirs = plainType(ours), plainType(theirs)
	out := map[string]string{}
	if depth == deep || ours == hcloud.Null {
		return out
	}
	a, b := kind(ours), kind(theirs)
	if a != b {
		out[where] = fmt.Sprintf("is %s, the library has %s", a, b)
		return out
	}
	switch a {
	case "list":
		return compare(where, ours.Elem(), theirs.Elem(), depth+1)
	case "object":
		have, want := fieldsOf(ours), fieldsOf(theirs)
		for name, field := range have {
			if other, ok := want[name]; ok {
				maps.Copy(out, compare(where+"."+name, field, other, depth+1))
			} else {
				out[where+"."+name] = "is not in the library"
			}
		}
		for name := range want {
			if _, ok := have[name]; !ok {
				out[where+"."+name] = "is missing here"
			}
		}
	}
	return out
}

func plainType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// kind is what a value of the type is in JSON.
func kind(t reflect.Type) string {
	switch {
	case t == hcloud.Reference, t == reflect.TypeFor[schema.IDOrName]():
		return "id or name"
	case t == reflect.TypeFor[json.RawMessage]():
		return "anything"
	case t == reflect.TypeFor[time.Time](), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "text"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "object"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "map of " + kind(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "bool"
	case reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

// fieldsOf are the JSON fields of a struct, those of embedded ones too.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" && field.IsExported() {
			out[name] = field.Type
		}
	}
	return out
}
