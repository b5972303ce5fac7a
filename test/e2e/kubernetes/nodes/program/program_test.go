package program

import (
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"k8s.io/kubernetes/test/e2e/framework"
)

func TestFocusIsOnOneSpec(t *testing.T) {
	spec := "[sig-network] LoadBalancers [Feature:LoadBalancer] should have (some) session affinity"
	re := regexp.MustCompile(focus(spec))
	for text, want := range map[string]bool{
		Suite + " " + spec:           true,
		Suite + " " + spec + " more": false,
		Suite + " Other " + spec:     false,
	} {
		if re.MatchString(text) != want {
			t.Errorf("the focus matches %q: %v", text, !want)
		}
	}
}

func TestFlags(t *testing.T) {
	read := func(args ...string) (options, error) {
		flags := flag.NewFlagSet("suite", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		return readFlags(flags, args, "ccm")
	}
	opts, err := read("-provider=sim", "-runner=http://127.0.0.1:1", "-spec=one of them", "-kubeconfig=admin")
	if err != nil || opts != (options{runner: "http://127.0.0.1:1", spec: "one of them"}) || framework.TestContext.Provider != "sim" {
		t.Errorf("options %+v of cloud %q: %v", opts, framework.TestContext.Provider, err)
	}
	if _, err := read(); err != nil || framework.TestContext.Provider != "ccm" {
		t.Errorf("the cloud without a flag is %q: %v", framework.TestContext.Provider, err)
	}
	for args, want := range map[string]string{
		"-provider=skeleton": "has already",
		"-provider=sim all":  `["all"]`,
		"-provder=sim":       "-provder",
	} {
		if _, err := read(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error about %s", args, err, want)
		}
	}
}
