package annotation_test

import (
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestPerPort(t *testing.T) {
	enum := annotation.Key{Name: "x", Type: annotation.TypeEnum, Enum: []string{"tcp", "http", "https"}, Default: "tcp"}.PerPorts()
	list := annotation.Key{Name: "x", Type: annotation.TypeList}.PerPorts()
	flag := annotation.Key{Name: "x", Type: annotation.TypeBool, Default: "false"}.PerPorts()
	tests := []struct {
		name             string
		key              annotation.Key
		value, canonical string
		// on80 and on443 are the values of these ports.
		on80, on443 string
		named       []int
	}{
		{"nothing", enum, "", "", "tcp", "tcp", nil},
		{"plain", enum, "http", "http", "http", "http", nil},
		{"each port", enum, " 443=https , 80 = http", "80=http,443=https", "http", "https", []int{80, 443}},
		{"one port, the default for others", enum, "443=https", "443=https", "tcp", "https", []int{443}},
		{"one port, and the others", enum, "http,443=https", "http,443=https", "http", "https", []int{443}},
		{"a list for every port", list, "a, b", "a,b", "a,b", "a,b", nil},
		{"a list for one port", list, "443=a, b,80=c", "80=c,443=a,b", "c", "a,b", []int{80, 443}},
		{"a list for one port, and for others", list, "a,b,443=c,d", "a,b,443=c,d", "a,b", "c,d", []int{443}},
		{"what is no port", list, "x=a,443=b", "x=a,443=b", "x=a", "b", []int{443}},
		{"bool", flag, "443=T", "443=true", "false", "true", []int{443}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values, problems := annotation.Set{test.key}.Parse(map[string]string{"x": test.value})
			if len(problems) > 0 || values["x"] != test.canonical {
				t.Fatalf("value %q, problems %v; want %q", values["x"], problems, test.canonical)
			}
			if on80, on443 := test.key.OfPort(values, 80), test.key.OfPort(values, 443); on80 != test.on80 || on443 != test.on443 {
				t.Errorf("port 80 has %q, port 443 %q; want %q and %q", on80, on443, test.on80, test.on443)
			}
			if named := test.key.PortsNamed(values); !slices.Equal(named, test.named) {
				t.Errorf("ports %v, want %v", named, test.named)
			}
			again, _ := annotation.Set{test.key}.Parse(map[string]string{"x": values["x"]})
			if again["x"] != values["x"] {
				t.Errorf("%q becomes %q when it is read again", values["x"], again["x"])
			}
		})
	}
	for _, value := range []string{"443=", "443=udp", "80=http,80=https", "443=https,http", "0=http", "65536=http", "http=443"} {
		if _, problems := (annotation.Set{enum}).Parse(map[string]string{"x": value}); len(problems) != 1 {
			t.Errorf("%q is accepted", value)
		}
	}
}

func TestUnknownPorts(t *testing.T) {
	list, each := annotation.Own("list", annotation.TypePorts, ""), annotation.Own("each", annotation.TypeString, "").PerPorts()
	in := cloud.Input{Spec: cloud.Spec{
		Ports:   []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80}, {Protocol: cloud.ProtocolUDP, Port: 53}},
		Options: map[string]string{"list": "53,80", "each": "443=x,80=y,z"},
	}}
	var got []string
	for _, note := range annotation.UnknownPorts(in.Spec, list, each) {
		got = append(got, note.Field+": "+note.Message)
	}
	want := []string{"list: the Service has no TCP port 53; it is ignored", "each: the Service has no TCP port 443; it is ignored"}
	if !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if !annotation.Given(in.Options, annotation.Name, each) || annotation.Given(in.Options, annotation.Name) {
		t.Error("what was given is not")
	}
}
