package config

import (
	"strings"
	"testing"
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
			_, _, err := Parse([]byte(content))
			if err == nil || strings.Contains(err.Error(), "hunter") || !strings.Contains(err.Error(), "line ") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// FuzzParseConfig looks for panics, and for a password in what people get to see.
func FuzzParseConfig(f *testing.F) {
	f.Add("[Global]\npassword=", "hunter2\n")
	f.Add("[LoadBalancer]\nmonitor-delay=5\n[Global]\ntoken=\"", "hunter2\"\n[Colours]")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, content := range []string{before + after, "[Global]\npassword = \"XSECRETX\n" + after} {
			_, warnings, err := Parse([]byte(content))
			if err != nil && strings.Contains(err.Error(), "XSECRETX") && !strings.Contains(before+after, "XSECRETX") {
				t.Errorf("%q: %v", content, err)
			}
			if strings.Contains(strings.Join(warnings, ""), "XSECRETX") && !strings.Contains(before+after, "XSECRETX") {
				t.Errorf("%q: %q", content, warnings)
			}
		}
	})
}
