package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const head = "apiVersion: static.multicloud-ccm.io/v1\nkind: Inventory\n"

const home = head + `region: home
machines:
- {name: nas-1, zone: cellar, type: n100, externalIPs: [203.0.113.7], labels: {disk: hdd}}
- {names: "rack2-*", zone: rack2, type: r640}
- {selector: "site=office,!old", region: town, zone: office}
- {name: rack2-9, zone: attic}
`

func open(t *testing.T, text string) cloud.Inventory {
	t.Helper()
	s, err := Open(func() ([]byte, error) { return []byte(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The file that the documents show has no mistakes, and nothing in it is without effect.
func TestExampleOfDocuments(t *testing.T) {
	s := open(t, cloud.InventoryExample)
	if len(s.Entries()) != 3 || len(s.Warnings()) > 0 {
		t.Errorf("entries %q, warnings %q", s.Entries(), s.Warnings())
	}
}

func TestFirstEntryThatFits(t *testing.T) {
	s := open(t, home)
	for name, tt := range map[string]struct {
		node  cloud.NodeAttributes
		entry string // "" for none
		zone  string
		why   []string
	}{
		"by name":                       {cloud.NodeAttributes{Name: "nas-1"}, "machines[0], name nas-1", "cellar", []string{"it is the Node's name"}},
		"by a pattern":                  {cloud.NodeAttributes{Name: "rack2-1"}, "machines[1], names rack2-*", "rack2", []string{"the Node has another name", "the Node's name is such a name"}},
		"an earlier pattern hides it":   {cloud.NodeAttributes{Name: "rack2-9"}, "machines[1], names rack2-*", "rack2", nil},
		"by labels":                     {cloud.NodeAttributes{Name: "x", Labels: map[string]string{"site": "office"}}, "machines[2], selector !old,site=office", "office", nil},
		"labels that a selector is not": {cloud.NodeAttributes{Name: "x", Labels: map[string]string{"site": "office", "old": ""}}, "", "", []string{"", "", "the Node lacks the label !old", ""}},
		"none":                          {cloud.NodeAttributes{Name: "nas-2"}, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			entry, fits := s.Match(tt.node)
			if fits != (tt.entry != "") || entry.Entry != tt.entry || entry.Zone != tt.zone {
				t.Errorf("%v, %+v", fits, entry)
			}
			judged := s.Judge(tt.node)
			if last := judged[len(judged)-1]; last.Fits != fits || fits && last.Entry != tt.entry {
				t.Errorf("judged %+v", judged)
			}
			for n, why := range tt.why {
				if why != "" && judged[n].Why != why {
					t.Errorf("%s: %q, want %q", judged[n].Entry, judged[n].Why, why)
				}
			}
		})
	}
	if entry, _ := s.Match(cloud.NodeAttributes{Name: "nas-1"}); entry.Region != "home" || entry.Type != "n100" || entry.Labels["disk"] != "hdd" || !slices.Equal(entry.ExternalIPs, []string{"203.0.113.7"}) {
		t.Errorf("the entry is %+v", entry)
	}
	if nearest := s.Nearest(cloud.NodeAttributes{Name: "nas-2"}); len(nearest) != 3 || nearest[0] != "machines[0], name nas-1" {
		t.Errorf("nearest are %q", nearest)
	}
	if warnings := s.Warnings(); len(warnings) != 1 || warnings[0] != "machines[3], name rack2-9: it never counts, because machines[1], names rack2-* comes first" {
		t.Errorf("warnings %q", warnings)
	}
}

// With others Nodes that no entry fits have what is said of all.
func TestOthers(t *testing.T) {
	s := open(t, head+"region: home\nzone: \"1\"\nothers: true\n")
	entry, fits := s.Match(cloud.NodeAttributes{Name: "x"})
	if !fits || entry.Entry != "" || entry.Region != "home" || entry.Zone != "1" || len(s.Warnings()) != 0 {
		t.Errorf("%v, %+v, %q", fits, entry, s.Warnings())
	}
}

func TestEveryBadInventory(t *testing.T) {
	machine := func(text string) string { return head + "machines:\n- {" + text + "}\n" }
	for text, want := range map[string]string{
		"":                                   "the file: is empty",
		"# nothing":                          "the file: is empty",
		"x":                                  "the file: is no YAML object",
		"a: [":                               "the file: is no YAML",
		head + "kind: Inventory\n":           "the file: is no YAML",
		head + "---\n" + head:                "the file: has several documents",
		strings.Repeat("#", mostBytes+1):     "the file: has 1048577 bytes",
		"kind: Inventory":                    `apiVersion: is "", want static.multicloud-ccm.io/v1`,
		strings.Replace(head, "v1", "v2", 1): `apiVersion: is "static.multicloud-ccm.io/v2"`,
		strings.Replace(head, "Inventory", "X", 1):              `kind: is "X", want Inventory`,
		head + "machine: []":                                    "machine: no such key, did you mean machines?",
		head + "Others: true":                                   "Others: no such key, did you mean others?",
		head + "others: maybe":                                  `others: is "maybe", want true or false`,
		head + "machines: {}":                                   "machines: is an object, want a list",
		head + "machines: [x]":                                  `machines[0]: is "x", want an object`,
		head + "region: {}":                                     "region: is an object, want a text",
		head + "zone: a b":                                      `zone: "a b" is no value of a label`,
		machine("name: a, zoen: b"):                             "machines[0].zoen: no such key, did you mean zone?",
		machine("name: a, colour: b"):                           "machines[0].colour: no such key, want one of name, names",
		machine("zone: a"):                                      "machines[0]: has 0 of name, names and selector, want exactly one",
		machine("name: a, names: b"):                            "machines[0]: has 2 of name",
		machine("name: a}\n- {name: a"):                         "machines[1].name: a is the name of machines[0].name too",
		machine("name: A_b"):                                    `machines[0].name: no Node can be named "A_b"`,
		machine(`names: "a["`):                                  `machines[0].names: "a[" is no pattern`,
		machine(`selector: "a=="`):                              ``,
		machine(`selector: "a=b=c"`):                            `machines[0].selector: "a=b=c" is no selector`,
		machine(`selector: " "`):                                `machines[0].selector: " " is no selector`,
		machine("name: a, internalIPs: [x]"):                    `machines[0].internalIPs[0]: "x" is no IP address`,
		machine("name: a, internalIPs: x"):                      `machines[0].internalIPs: is "x", want a list`,
		machine("name: a, internalIPs: [127.0.0.1]"):            "machines[0].internalIPs[0]: nobody reaches a machine at 127.0.0.1",
		machine("name: a, externalIPs: [192.0.2.1, 192.0.2.1]"): "machines[0].externalIPs[1]: 192.0.2.1 is there twice",
		machine("name: a, internalIPs: [10.0.0.1]}\n- {name: b, internalIPs: [10.0.0.1]"): "machines[1].internalIPs[0]: 10.0.0.1 is there twice, see machines[0].internalIPs[0]",
		machine("names: a*, internalIPs: [10.0.0.1]"):                                     "machines[0].internalIPs: are those of one machine",
		machine("name: a, labels: [x]"):                                                   "machines[0].labels: is a list",
		machine("name: a, labels: {a b: c}"):                                              "machines[0].labels[a b]: no such key of a label is possible",
		machine("name: a, labels: {a: b c}"):                                              `machines[0].labels[a]: "b c" is no value of a label`,
		machine("name: a, labels: {node-role.kubernetes.io/worker: x}"):                   "machines[0].labels[node-role.kubernetes.io/worker]: labels of kubernetes.io and k8s.io are not written",
		machine("name: a, labels: {multicloud-ccm.io/unmanaged: x}"):                      "machines[0].labels[multicloud-ccm.io/unmanaged]: such labels say what is done with a Node",
		machine("name: a, zone: no"):                                                      "machines[0].zone: is false, want a text: put it in quotes",
		machine("name: a, labels: {v: 1.10}"):                                             "machines[0].labels.v: is 1.1, want a text: put it in quotes",
		machine("name: a, labels: {k8s.io/x: x}"):                                         "machines[0].labels[k8s.io/x]: labels of",
	} {
		_, err := parse([]byte(text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", cloud.Shorten(text, 100), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", cloud.Shorten(text, 100), err, want)
		}
	}
	_, err := parse([]byte("kind: Inventory\nmachines:\n- {name: a, zoen: b}\n- {zone: a b}\n"))
	if err == nil || strings.Count(err.Error(), "; ") != 3 || strings.Contains(err.Error(), "\n") {
		t.Errorf("several mistakes: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for text, want := range map[string]string{
		head:                  "machines: there are none",
		head + "others: true": "",
		head + "machines: []": "machines: there are none",
		head + "machines: [{name: a, internalIPs: [198.51.100.1]}]":               "machines[0].internalIPs[0]: 198.51.100.1 is a public address",
		head + "machines: [{name: a, internalIPs: [100.64.0.1, 'fd00::1']}]":      "",
		head + "machines: [{names: '*'}, {selector: a=b}]":                        "machines[1], selector a=b: it never counts",
		head + "machines: [{names: 'a*'}, {names: 'a*'}]":                         "machines[1], names a*: it never counts",
		head + "machines: [{selector: 'a=b,c'}, {selector: 'c, a=b'}]":            "machines[1], selector a=b,c: it never counts",
		head + "machines: [{selector: '!old'}, {name: a, labels: {disk: hdd}}]":   "",
		head + "machines: [{selector: disk=hdd}, {name: a, labels: {disk: hdd}}]": "machines[1], name a: with its labels machines[0], selector disk=hdd fits",
		head + "machines: [{selector: a=b}, {name: a}]":                           "",
	} {
		i, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(i.warnings, "; "); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWrongInventoryKeepsTheLast(t *testing.T) {
	text, failure := home, error(nil)
	s, err := Open(func() ([]byte, error) { return []byte(text), failure })
	if err != nil {
		t.Fatal(err)
	}
	reload := func(what string, changed, wrong bool) {
		t.Helper()
		if got, err := s.Reload(t.Context()); got != changed || (err != nil) != wrong {
			t.Errorf("%s: changed %v, error %v", what, got, err)
		}
		if _, fits := s.Match(cloud.NodeAttributes{Name: "nas-1"}); !fits && what != "emptied" {
			t.Errorf("%s: nas-1 is lost", what)
		}
	}
	reload("as before", false, false)
	text = home + "x: y\n"
	reload("a mistake", false, true)
	failure = errors.New("no such file")
	reload("deleted", false, true)
	failure, text = nil, home
	reload("as it was", false, false)
	text = home + "- {name: nas-2}\n"
	reload("one more", true, false)
	text = head
	reload("emptied", true, false)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.Reload(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// Each key that is declared is read: with a wrong type it is refused under its own name.
func TestKeysAreRead(t *testing.T) {
	for _, k := range cloud.InventoryKeys() {
		text := head + k.Name + ": {a: {}}\n"
		if k.Section == cloud.InventoryMachine {
			text = head + "machines: [{" + k.Name + ": {a: {}}}]\n"
		}
		if _, err := parse([]byte(text)); err == nil || strings.Contains(err.Error(), "no such key") || !strings.Contains(err.Error(), k.Name) && !strings.Contains(err.Error(), "no YAML") {
			t.Errorf("%s %s: %v", k.Section, k.Name, err)
		}
	}
}

// FuzzInventory: nothing panics, and of what is taken the answers hold together.
func FuzzInventory(f *testing.F) {
	f.Add(home, "nas-1", "site")
	f.Add(head+"others: true", "a", "")
	f.Add(head+"machines: [{names: '[a-c]?', internalIPs: ['::1']}]", "ab", "")
	f.Add("a: &a [*a, *a]", "", "")
	f.Fuzz(func(t *testing.T, text, name, label string) {
		i, err := parse([]byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("several lines: %q", err)
			}
			return
		}
		node := cloud.NodeAttributes{Name: name, Labels: map[string]string{label: "office"}}
		entry, fits := i.match(node)
		judged := i.judge(node)
		byJudge := len(judged) > 0 && judged[len(judged)-1].Fits
		if fits != (byJudge || i.others) || byJudge && judged[len(judged)-1].Entry != entry.Entry {
			t.Errorf("match says %v %q, judge %+v", fits, entry.Entry, judged)
		}
		if len(i.nearest(node)) > 3 {
			t.Error("too many are nearest")
		}
		again, err := parse([]byte(written(i)))
		if err != nil {
			t.Fatalf("a valid file is refused after a round trip: %v\n%s", err, written(i))
		}
		if second, _ := again.match(node); fmt.Sprint(second) != fmt.Sprint(entry) {
			t.Errorf("after a round trip %+v, before %+v", second, entry)
		}
	})
}

// written is an inventory as a file.
func written(i *inventory) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%sregion: %q\nzone: %q\nothers: %v\nmachines:\n", head, i.region, i.zone, i.others)
	for _, m := range i.machines {
		selector := ""
		if m.selector != nil {
			selector = m.selector.String()
		}
		fmt.Fprintf(b, "- {name: %q, names: %q, selector: %q, region: %q, zone: %q, type: %q, labels: {", m.name, m.names, selector, m.Region, m.Zone, m.Type)
		for key, value := range m.Labels {
			fmt.Fprintf(b, "%q: %q, ", key, value)
		}
		fmt.Fprintf(b, "}, internalIPs: [%s], externalIPs: [%s]}\n", strings.Join(quoted(m.InternalIPs), ","), strings.Join(quoted(m.ExternalIPs), ","))
	}
	return b.String()
}

func quoted(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, fmt.Sprintf("%q", text))
	}
	return all
}

// BenchmarkMatch: 1,000 entries with names, 10 with selectors behind half of them.
func BenchmarkMatch(b *testing.B) {
	text := &strings.Builder{}
	text.WriteString(head + "machines:\n")
	for n := range 1010 {
		if n%101 == 50 {
			fmt.Fprintf(text, "- {selector: 'rack=r%d,site in (a,b)', zone: z%d}\n", n, n)
			continue
		}
		fmt.Fprintf(text, "- {name: node-%d, zone: z%d, labels: {disk: hdd}}\n", n, n%7)
	}
	i, err := parse([]byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	labels := map[string]string{"rack": "r3", "site": "a", "kubernetes.io/hostname": "node-900"}
	for _, name := range []string{"node-900", "nobody"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				i.match(cloud.NodeAttributes{Name: name, Labels: labels})
			}
		})
	}
}
