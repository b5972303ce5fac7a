package portable_test

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// However long the value of an annotation is, each event about it is at most 1 kB long, and so is the error in the log. The API
// server takes 256 kB of annotations from whoever may edit one Service.
func TestLongValues(t *testing.T) {
	long := map[string]string{
		"text": strings.Repeat("x", 100_000), "umlauts": strings.Repeat("ä", 50_000), "number": strings.Repeat("9", 100_000), "list": strings.Repeat("a=b,", 25_000),
		"JSON": `{"` + strings.Repeat("x", 100_000) + `":"` + strings.Repeat("y", 100_000) + `"}`, "escaped": strings.Repeat("\x00", 100_000),
	}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			keys, said := annotation.Kernel().With(k.keys), 0
			for _, key := range keys {
				for _, spelling := range append(key.Spellings(), key.Name+"s") {
					for form, value := range long {
						for _, message := range k.told(keys, map[string]string{spelling: value}) {
							said++
							if n := len(message); n > 1000 {
								t.Errorf("%s, %s: %d bytes, which begin with %.200q", spelling, form, n, message)
							}
						}
					}
				}
			}
			if said < len(keys) {
				t.Errorf("%d messages about %d keys", said, len(keys))
			}
		})
	}
}

// told returns what the user of a Service with these annotations is told, as events and as the error.
func (k kind) told(keys annotation.Set, annotations map[string]string) []string {
	values, found := keys.Parse(annotations)
	problems, warnings := problem.OfAnnotations(found)
	_, notes, err := k.normalize(cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{Cluster: "test", Namespace: "shop", Name: "web", UID: "11111111-2222-3333-4444-555555555555"},
			Ports: conformance.PortableService().Ports, Options: values, HealthPort: 10256,
		},
	})
	warnings = append(warnings, problem.OfDriver(notes)...)
	if err != nil {
		problems = append(problems, problem.Unjoin(err)...)
		err = &cloud.Error{Op: "normalizing", Err: err}
	}
	var texts []string
	for _, w := range problem.Told(append(warnings, problems...), "shop", "web") {
		texts = append(texts, w.Message)
	}
	for _, err := range []error{err, problem.Combine(problems)} {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	return texts
}
