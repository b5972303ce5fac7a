package cloud

import "testing"

// What a driver has found out comes back as it was, and nothing else is taken for it.
func TestFindings(t *testing.T) {
	type own struct{ Name string }
	var found FindingsOf[own]
	if got := found.Open(Findings{}); got != (own{}) {
		t.Errorf("without findings there is %+v", got)
	}
	a := found.Seal(own{"a"})
	if got := found.Open(a); got.Name != "a" {
		t.Errorf("what was found comes back as %+v", got)
	}
	if !a.Equal(found.Seal(own{"a"})) || a.Equal(found.Seal(own{"b"})) || found.Seal(own{}).Equal(Findings{}) {
		t.Error("findings are equal that are not, or the other way round")
	}
	defer func() {
		if recover() == nil {
			t.Error("findings of another type are taken")
		}
	}()
	found.Open(FindingsOf[string]{}.Seal("a"))
}
