package program

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	testingmanifests "k8s.io/kubernetes/test/e2e/testing-manifests"
)

// Suite is the description of the suite. What -ginkgo.focus is compared with begins with it and a space.
const Suite = "Kubernetes"

// options are the flags that are not those of Ginkgo or of the framework.
type options struct {
	runner string // URL of the runner
	spec   string // full text of the only spec to run
}

// Main runs the specs of the packages that the program imports, those with the labels unless
// -ginkgo.label-filter says otherwise, on a cloud of that name unless -provider says otherwise. It returns the exit
// code: 0 when all of them passed or skipped themselves.
func Main(labels, cloud string) int {
	opts, err := readFlags(flag.CommandLine, os.Args[1:], cloud)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r := newRunner(opts.runner)
	name := framework.TestContext.Provider
	framework.RegisterProvider(name, func() (framework.ProviderInterface, error) { return &provider{runner: r}, nil })
	addSetup()
	testfiles.AddFileSource(testingmanifests.GetE2ETestingManifestsFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	// Only now: it has Ginkgo preview the specs on a copy of the suite, and what is outside of all containers until then gets lost.
	if r != nil {
		addHooks(r)
	}
	gomega.RegisterFailHandler(framework.Fail)

	var t result
	suite, reporter := ginkgo.GinkgoConfiguration()
	if suite.LabelFilter == "" {
		suite.LabelFilter = labels
	}
	if opts.spec != "" {
		suite.FocusStrings = []string{focus(opts.spec)}
	}
	// A name that no spec has would pass.
	suite.FailOnEmpty = true
	if ginkgo.RunSpecs(&t, Suite, suite, reporter); t.failed {
		return 1
	}
	return 0
}

// focus is the regular expression that only the spec with this full text matches.
func focus(spec string) string { return "^" + regexp.QuoteMeta(Suite+" "+spec) + "$" }

// readFlags declares and reads all flags. Ginkgo has declared its own before.
func readFlags(flags *flag.FlagSet, args []string, cloud string) (options, error) {
	var opts options
	flags.StringVar(&opts.runner, "runner", "", "URL of the runner, which hears of each spec and deletes machines; without it nobody does.")
	flags.StringVar(&opts.spec, "spec", "", "Full text of the only spec to run.")
	config.CopyFlags(config.Flags, flags)
	framework.RegisterCommonFlags(flags)
	framework.RegisterClusterFlags(flags)
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	framework.TestContext.Provider = cmp.Or(framework.TestContext.Provider, cloud)
	switch name := framework.TestContext.Provider; {
	case flags.NArg() > 0:
		return opts, fmt.Errorf("there are arguments that are no flags: %q", flags.Args())
	case slices.Contains(framework.GetProviders(), name):
		return opts, fmt.Errorf("-provider %s is a name that the framework has already", name)
	}
	return opts, nil
}

// result is what Ginkgo needs of a testing.T.
type result struct{ failed bool }

func (r *result) Fail() { r.failed = true }
