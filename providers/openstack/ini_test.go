package openstack

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/gcfg.v1"
)

func TestSyntaxErrorsShowNoValue(t *testing.T) {
	for name, content := range map[string]string{
		"open quote":         "[Global]\npassword = \"hunter2\n",
		"escape":             "[Global]\npassword = \"hunter2\\x\"\n",
		"unquoted backslash": "[Global]\npassword = hunter2\\d\n",
		"no section":         "\n\npassword = hunter2\n",
		"no key":             "[Global]\n= hunter2\n",
		"open head":          "[Global\npassword = hunter2\n",
		"strange character":  "[Global]\npassword : hunter2\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseConfig([]byte(content))
			if err == nil || strings.Contains(err.Error(), "hunter") || !strings.Contains(err.Error(), "line ") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// upstreamConfig is read by upstream's library.
type upstreamConfig struct {
	Global struct {
		Text string
		List []string
		Flag bool
	}
	Class map[string]*struct{ Text string }
}

// FuzzScan compares with the reader of upstream's library: what it takes is taken, with the
// same values, and what it refuses as a file is refused.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"[global]\ntext = a\nlist=b\nlist=\"c\"\nflag", "[Class \"x\"]\ntext=\"a;b\" # c\n", "[Global]\ntext = a\\\n b\n",
		"[Global]\ntext = \"\\\"\\\\\\n\\t\" x\r\nlist\n", "\ufeff[Global]\n", "[Global]\ntext=\n", "[a \"\"]", "text=1", "[Global", "[Global]\nflag=off\n\n;x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		entries, err := scan([]byte(content))
		var want upstreamConfig
		theirs := gcfg.FatalOnly(readUpstream(&want, content))
		if err != nil {
			if theirs == nil {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if theirs != nil {
			return // for the value of a key, or a name in a section: that is not about the file
		}
		if got := upstreamForm(entries); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, upstream reads %+v", got, want)
		}
	})
}

// readUpstream survives a library that panics.
func readUpstream(into *upstreamConfig, content string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("panic")
		}
	}()
	return gcfg.ReadStringInto(into, strings.TrimPrefix(content, "\ufeff"))
}

// upstreamForm fills upstream's struct the way upstream's reader does.
func upstreamForm(entries []entry) upstreamConfig {
	var c upstreamConfig
	for _, e := range entries {
		switch {
		case strings.EqualFold(e.section, "class"):
			if c.Class == nil {
				c.Class = map[string]*struct{ Text string }{}
			}
			if c.Class[e.subsection] == nil {
				c.Class[e.subsection] = &struct{ Text string }{}
			}
			if strings.EqualFold(e.key, "text") {
				c.Class[e.subsection].Text = e.value
			}
		case !strings.EqualFold(e.section, "global") || e.subsection != "":
		case strings.EqualFold(e.key, "text"):
			c.Global.Text = e.value
		case strings.EqualFold(e.key, "flag") && e.bare:
			c.Global.Flag = true
		case strings.EqualFold(e.key, "flag"):
			boolean(&c.Global.Flag).set(e.value)
		case strings.EqualFold(e.key, "list") && e.bare:
			c.Global.List = nil
		case strings.EqualFold(e.key, "list"):
			c.Global.List = append(c.Global.List, e.value)
		}
	}
	return c
}

// FuzzParseConfig looks for panics, and for a password in what people get to see.
func FuzzParseConfig(f *testing.F) {
	f.Add("[Global]\npassword=", "hunter2\n")
	f.Add("[LoadBalancer]\nmonitor-delay=5\n[Global]\ntoken=\"", "hunter2\"\n[Colours]")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, content := range []string{before + after, "[Global]\npassword = \"XSECRETX\n" + after} {
			_, warnings, err := parseConfig([]byte(content))
			if err != nil && strings.Contains(err.Error(), "XSECRETX") && !strings.Contains(before+after, "XSECRETX") {
				t.Errorf("%q: %v", content, err)
			}
			if strings.Contains(strings.Join(warnings, ""), "XSECRETX") && !strings.Contains(before+after, "XSECRETX") {
				t.Errorf("%q: %q", content, warnings)
			}
		}
	})
}
