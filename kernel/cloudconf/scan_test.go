package cloudconf

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/gcfg.v1"
)

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
			Boolean(&c.Global.Flag).Set(e.value)
		case strings.EqualFold(e.key, "list") && e.bare:
			c.Global.List = nil
		case strings.EqualFold(e.key, "list"):
			c.Global.List = append(c.Global.List, e.value)
		}
	}
	return c
}
