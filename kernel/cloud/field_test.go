package cloud

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	fieldPort   = NewField[int]("port")
	fieldPool   = NewField[Reference]("pool_id")
	fieldGroups = NewField[[]Reference]("groups")
	fieldCheck  = NewField[*int]("check_port")
	fieldTwin   = NewField[string]("port") // a mistake: two fields with one name
)

var thePool = IDOf{Kind: "pool", Key: "80"}

// What a field is given is read by it, and nothing else of the resource changes.
func TestFields(t *testing.T) {
	r := Resource{Kind: "listener", Key: "80", Fields: FieldsOf(fieldPort.Is(80), fieldPool.Is(To(thePool)), fieldPort.Is(81))}
	if port, ok := fieldPort.In(r); port != 81 || !ok || fieldPool.Of(r) != To(thePool) {
		t.Errorf("port %d, %t; pool %v", port, ok, fieldPool.Of(r))
	}
	if groups, ok := fieldGroups.In(r); groups != nil || ok {
		t.Errorf("groups that were not given: %v, %t", groups, ok)
	}
	changed := r
	changed.Fields = r.Fields.With(fieldPort.Is(82), fieldCheck.Is(nil)).Without(fieldPool)
	if check, ok := fieldCheck.In(changed); check != nil || !ok || fieldPort.Of(changed) != 82 {
		t.Errorf("check %v, %t; port %d", check, ok, fieldPort.Of(changed))
	}
	if _, ok := fieldPool.In(changed); ok || fieldPort.Of(r) != 81 || fieldPool.Of(r) != To(thePool) {
		t.Errorf("changed %v; the first one is %v", changed.Fields, r.Fields)
	}
	if one, ok := changed.Fields.Only("port", "pool_id").Named("port"); !ok || one.Any() != 82 || len(changed.Fields.Only("port", "pool_id").All()) != 1 {
		t.Errorf("only the port: %v", changed.Fields.Only("port", "pool_id"))
	}
	if (Field[Reference]{}).Of(r) != (Reference{}) {
		t.Error("no field has a value")
	}
	text, err := json.Marshal(changed.Fields.With(fieldPool.Is(ToID("p-1")), fieldGroups.Is([]Reference{ToID("a"), ToID("b")})))
	if want := `{"check_port":null,"groups":["a","b"],"pool_id":"p-1","port":82}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if text, err := json.Marshal(r.Fields); err == nil {
		t.Errorf("an id that is not known is written as %s", text)
	}
}

// The kernel finds references, and fills in ids, whatever else a resource has.
func TestReferences(t *testing.T) {
	resolve := func(ref Reference) Reference {
		if ref == To(thePool) {
			return ToID("p-1")
		}
		return ref
	}
	for name, test := range map[string]struct {
		is, want FieldValue
		refers   []Reference
	}{
		"no reference": {fieldPort.Is(80), fieldPort.Is(80), nil},
		"one":          {fieldPool.Is(To(thePool)), fieldPool.Is(ToID("p-1")), []Reference{To(thePool)}},
		"a known one":  {fieldPool.Is(ToID("x")), fieldPool.Is(ToID("x")), []Reference{ToID("x")}},
		"several":      {fieldGroups.Is([]Reference{ToID("x"), To(thePool)}), fieldGroups.Is([]Reference{ToID("x"), ToID("p-1")}), []Reference{ToID("x"), To(thePool)}},
		"nil":          {fieldGroups.Is(nil), fieldGroups.Is(nil), nil},
		"none":         {fieldGroups.Is([]Reference{}), fieldGroups.Is([]Reference{}), []Reference{}},
		"cleared":      {fieldPool.Is(ToID("x")).Cleared(), fieldPool.Is(ToID("x")).Cleared(), nil},
	} {
		before := test.is
		if got := test.is.Resolved(resolve); !got.Equal(test.want) || got.Name() != test.want.Name() || !test.is.Equal(before) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if diff := cmp.Diff(test.refers, test.is.References()); diff != "" {
			t.Errorf("%s: refers (-want +got):\n%s", name, diff)
		}
	}
	if fieldGroups.Is(nil).Equal(fieldGroups.Is([]Reference{})) || fieldPool.Is(Reference{}).Equal(fieldPool.Is(Reference{}).Cleared()) {
		t.Error("no value is not the same as an empty one")
	}
	for ref, want := range map[Reference]string{
		ToID("p-1"): "p-1", To(thePool): "pool 80", {Of: thePool, Chosen: "port"}: "port of pool 80", To(IDOf{Kind: "service", Key: "service 80"}): "service 80",
	} {
		if ref.String() != want {
			t.Errorf("%+v is %q, want %q", ref, ref, want)
		}
	}
}

// Two fields with one name and other types are found out when the second one is read.
func TestFieldOfAnotherType(t *testing.T) {
	defer func() {
		text, _ := recover().(string)
		if want := "the field port of listener 80 has a int, and is read as another type"; !strings.Contains(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}()
	fieldTwin.Of(Resource{Kind: "listener", Key: "80", Fields: FieldsOf(fieldPort.Is(80))})
}
