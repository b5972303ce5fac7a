package cloud

import (
	"strings"
	"testing"
)

// What a driver keeps for itself comes back as it was. Where there is nothing, that is the zero value.
func TestNative(t *testing.T) {
	type own struct{ Name string }
	var native NativeOf[*own]
	a := &own{"a"}
	if sealed := native.Seal(a); sealed.IsNone() || native.Open(sealed) != a {
		t.Errorf("what was handed over comes back as %+v, none: %t", native.Open(sealed), sealed.IsNone())
	}
	if none := (Native{}); !none.IsNone() || native.Open(none) != nil || (NativeOf[own]{}).Open(none) != (own{}) {
		t.Errorf("where nothing was handed over there is %+v, none: %t", native.Open(none), none.IsNone())
	}
}

// What is opened as another type is found out.
func TestNativeOfAnotherType(t *testing.T) {
	defer func() {
		wrong, _ := recover().(error)
		if want := "is string, not *cloud.Known"; wrong == nil || !strings.Contains(wrong.Error(), want) {
			t.Errorf("panic %v, want %q", wrong, want)
		}
	}()
	NativeOf[*Known]{}.Open(NativeOf[string]{}.Seal("a"))
}
