package cloud

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestSecretSettings(t *testing.T) {
	values := map[string]string{"TOKEN": " t\n", "EMPTY": " ", "URL": "https://api.example.com"}
	broken := errors.New("no such file")
	r := SettingReader{Lookup: func(name string) string { return values[name] }, Secret: func(name string) (string, error) {
		if name == "BROKEN" {
			return "", broken
		}
		return values[name], nil
	}}
	if r.SecretText("TOKEN") != "t" || r.SecretText("EMPTY") != "" || r.BaseURL("URL").Path != "/" || r.Err() != nil {
		t.Errorf("values are not what they say: %v", r.Err())
	}
	if r.SecretText("BROKEN") != "" || r.BaseURL("UNSET") != nil || len(r.problems) != 2 || !errors.Is(r.Err(), broken) {
		t.Errorf("problems: %v", r.Err())
	}
}

func TestSettingReader(t *testing.T) {
	values := map[string]string{
		"ON": " true ", "OFF": "0", "BAD": "maybe", "RATE": "0.5", "NONE": "-1", "NAN": "NaN", "LIST": " b, a,,b ", "TEXT": " x ",
		"URL": "https://user:pw@api.example.com/v1", "RELATIVE": "hunter2/v1", "FTP": "ftp://hunter2@host", "BROKEN": "https://hunter2@%zz",
	}
	r := SettingReader{Lookup: func(name string) string { return values[name] }}
	if !r.Bool("ON") || r.Bool("OFF") || r.Bool("UNSET") || r.Positive("RATE", "") != 0.5 || r.Positive("UNSET", "") != 0 || r.Text("TEXT") != "x" {
		t.Error("values are not what they say")
	}
	if list := r.List("LIST"); !slices.Equal(list, []string{"b", "a", "b"}) || r.List("UNSET") != nil {
		t.Errorf("list: %q", list)
	}
	if u := r.URL("URL"); u == nil || u.Path != "/v1" || r.URL("UNSET") != nil {
		t.Errorf("URL: %v", u)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if r.Bool("BAD") || r.Positive("NONE", "want a rate") != 0 || r.Positive("NAN", "want a rate") != 0 || r.URL("RELATIVE") != nil || r.URL("FTP") != nil || r.URL("BROKEN") != nil {
		t.Error("wrong values are taken")
	}
	text := r.Err().Error()
	for _, name := range []string{"BAD", "NONE", "NAN", "RELATIVE", "FTP", "BROKEN", "want a rate"} {
		if !strings.Contains(text, name) {
			t.Errorf("%s is not told: %s", name, text)
		}
	}
	if strings.Contains(text, "hunter2") {
		t.Errorf("a URL is shown: %s", text)
	}
}
