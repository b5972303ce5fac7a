package event

import (
	"slices"
	"testing"
)

type log []string

func (l *log) Record(object Object, _ Reason, message string) {
	*l = append(*l, object.Name+": "+message)
}

func TestOnceRecordsWhatIsNew(t *testing.T) {
	var said log
	o := Once{Next: &said}
	round := func(want []string, names ...string) {
		t.Helper()
		said = nil
		for _, name := range names {
			o.Record(Object{Name: name}, NoTargets, "none")
			o.Record(Object{Name: name}, NoTargets, "none")
		}
		o.Round()
		if !slices.Equal(said, want) {
			t.Errorf("%v, want %v", said, want)
		}
	}
	round([]string{"a: none", "b: none"}, "a", "b")
	round(nil, "a", "b")
	round([]string{"c: none"}, "a", "c")
	round([]string{"b: none"}, "b", "c")
}

func TestOnceWithoutRecorder(t *testing.T) {
	o := Once{}
	o.Record(Object{}, NoTargets, "none")
	o.Round()
}
