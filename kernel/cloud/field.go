package cloud

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of resources that the driver manages, with values of type V. A driver declares it once, as a variable, and sets and
// reads it by that: a name that is misspelt does not compile, and neither does a value of another type. The zero Field is none.
type Field[V any] struct{ name string }

// NewField returns the field of that name in the API. Values of V are compared by reflect.DeepEqual, so that a nil slice and an empty
// one differ. A Reference, also in a []Reference, is the id of another resource.
func NewField[V any](name string) Field[V] { return Field[V]{name} }

// Name returns the name in the API.
func (f Field[V]) Name() string { return f.name }

// Is returns the field with a value. A nil pointer is a field without a value; a nil slice, a nil map and the zero Reference are values.
func (f Field[V]) Is(value V) FieldValue { return fieldValue(f.name, value) }

// fieldValue and mistaken are apart from the types: the compiler makes each method of a Field once for each type.
//
//go:noinline // it would be copied to wherever a field is set
func fieldValue(name string, value any) FieldValue {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.IsNil() {
		value = nil
	}
	return FieldValue{name, value}
}

func mistaken(name string, r Resource, value any) {
	panic(fmt.Sprintf("the field %s of %s has a %T, and is read as another type", name, r.Ref(), value))
}

// Of returns the value in a resource, the zero value where that has none.
func (f Field[V]) Of(r Resource) V {
	value, _ := f.In(r)
	return value
}

// In returns the value in a resource, and false where that has no such field. Of a field without a value it is the zero value. A
// resource with a value of another type is a mistake in the driver: two of its fields have one name. It panics then.
//
//go:noinline // it would be copied to wherever a field is read
func (f Field[V]) In(r Resource) (value V, ok bool) {
	is, ok := r.Fields.Named(f.name)
	if is.value == nil {
		return value, ok
	}
	value, isOne := is.value.(V)
	if !isOne {
		mistaken(f.name, r, is.value)
	}
	return value, true
}

// AnyField is a Field of any type.
type AnyField interface{ Name() string }

// FieldValue is a field of a resource with its value. The zero FieldValue is none.
type FieldValue struct {
	name  string
	value any
}

// Name returns the name of the field, "" of none.
func (v FieldValue) Name() string { return v.name }

// Any returns the value, for people and requests; nil where there is none.
func (v FieldValue) Any() any { return v.value }

// Equal reports whether both have the same value.
func (v FieldValue) Equal(other FieldValue) bool { return reflect.DeepEqual(v.value, other.value) }

// Cleared returns the field without a value, which is not the same as no field.
func (v FieldValue) Cleared() FieldValue { return FieldValue{v.name, nil} }

// References returns what the value refers to.
func (v FieldValue) References() []Reference {
	switch value := v.value.(type) {
	case Reference:
		return []Reference{value}
	case []Reference:
		return value
	}
	return nil
}

// Resolved returns the field with what resolve returns in the place of each reference.
func (v FieldValue) Resolved(resolve func(Reference) Reference) FieldValue {
	switch value := v.value.(type) {
	case Reference:
		v.value = resolve(value)
	case []Reference:
		if value == nil {
			return v
		}
		all := make([]Reference, len(value))
		for i, ref := range value {
			all[i] = resolve(ref)
		}
		v.value = all
	}
	return v
}

// Fields are the managed fields of a resource. The zero value has none. They are values: whoever changes some changes a copy.
type Fields struct{ sorted []FieldValue }

// Equal reports whether both have the same fields with the same values.
func (f Fields) Equal(other Fields) bool {
	return slices.EqualFunc(f.sorted, other.sorted, func(a, b FieldValue) bool { return a.name == b.name && a.Equal(b) })
}

// FieldsOf returns these fields. Of several with one name the last one counts.
func FieldsOf(values ...FieldValue) Fields { return Fields{}.With(values...) }

// With returns these fields and others, which replace those of the same name.
func (f Fields) With(values ...FieldValue) Fields {
	all := make([]FieldValue, len(f.sorted), len(f.sorted)+len(values))
	copy(all, f.sorted)
	for _, v := range values {
		at, found := find(all, v.name)
		if !found {
			all = append(all, FieldValue{})
			copy(all[at+1:], all[at:])
		}
		all[at] = v
	}
	return Fields{all}
}

// Without returns these fields but for some.
func (f Fields) Without(fields ...AnyField) Fields {
	return Fields{slices.DeleteFunc(slices.Clone(f.sorted), func(v FieldValue) bool {
		return slices.ContainsFunc(fields, func(field AnyField) bool { return field.Name() == v.name })
	})}
}

// Only returns those of the fields that have these names.
func (f Fields) Only(names ...string) Fields {
	return Fields{slices.DeleteFunc(slices.Clone(f.sorted), func(v FieldValue) bool { return !slices.Contains(names, v.name) })}
}

// MarshalJSON writes the fields as an object. One without a value is null.
func (f Fields) MarshalJSON() ([]byte, error) {
	object := map[string]any{}
	for _, v := range f.sorted {
		object[v.name] = v.value
	}
	return json.Marshal(object)
}

// Named returns the field of that name, and false where there is none.
func (f Fields) Named(name string) (FieldValue, bool) {
	at, found := find(f.sorted, name)
	if !found {
		return FieldValue{}, false
	}
	return f.sorted[at], true
}

// All returns the fields, sorted by name. They must not be changed.
func (f Fields) All() []FieldValue { return f.sorted }

func find(sorted []FieldValue, name string) (at int, found bool) {
	return slices.BinarySearchFunc(sorted, name, func(v FieldValue, name string) int { return strings.Compare(v.name, name) })
}

// IDOf is a resource by its kind and its key. It stands for its id, which may not be known yet.
type IDOf struct{ Kind, Key string }

// String is for people. Some keys begin with the kind.
func (r IDOf) String() string {
	if r.Key == r.Kind || strings.HasPrefix(r.Key, r.Kind+" ") {
		return r.Key
	}
	return r.Kind + " " + r.Key
}

// Reference is the id of another object, or what stands for it. The zero value refers to nothing.
type Reference struct {
	// ID is the id, "" as long as it is not known.
	ID string
	// Of is the resource that has the id, the zero value where ID is known.
	Of IDOf
	// Chosen is, of a balancer, a field that the cloud chooses when it is made and that is referred to in the place of its id, such as
	// the port of its address, see Made; "" for the id.
	Chosen string
}

// To refers to a resource.
func To(r IDOf) Reference { return Reference{Of: r} }

// ToID refers to the object with that id, to nothing where it is "".
func ToID(id string) Reference { return Reference{ID: id} }

// IsKnown reports whether nothing stands for an id any more.
func (r Reference) IsKnown() bool { return r.Of == IDOf{} }

// String is for people: the id, or what stands for it.
func (r Reference) String() string {
	switch {
	case r.IsKnown():
		return r.ID
	case r.Chosen != "":
		return fmt.Sprintf("%s of %s", r.Chosen, r.Of)
	}
	return r.Of.String()
}

// MarshalJSON writes the id, as requests have it. It fails where that is not known.
func (r Reference) MarshalJSON() ([]byte, error) {
	if !r.IsKnown() {
		return nil, fmt.Errorf("the id of %s is not known", r.Of)
	}
	return json.Marshal(r.ID)
}
