package main

import (
	"strings"
	"testing"
)

// The figures are those of the module in testdata, whose comments say where each method leads.
func TestFigures(t *testing.T) {
	const kernel, toy = "testdata/kernel/balancer", "testdata/providers/toy"
	for name, test := range map[string]struct {
		args string
		want string // returns, files, functions
	}{
		"a return":                    {kernel + " Manager.Ensure", "1 2 3"},
		"one path of two entries":     {kernel + " Manager.Ensure+Manager.Delete", "1 2 4"},
		"fields across packages":      {kernel + " Manager.Save", "0 2 2"},
		"the only implementation":     {kernel + " Manager.Count", "0 2 2"},
		"two implementations":         {kernel + " Manager.Measure", "0 1 1"},
		"two functions of a field":    {kernel + " Manager.Step", "2 2 4"},
		"a table":                     {kernel + " Manager.Check", "0 1 1"},
		"a field that is not called":  {kernel + " Manager.Pass", "0 1 1"},
		"a parameter":                 {kernel + " Manager.Argument", "0 1 1"},
		"a generic struct, unkeyed":   {kernel + " Manager.Generic", "0 2 2"},
		"another package":             {kernel + " Manager.Replace", "0 2 2"},
		"without that package":        {"-without second " + kernel + " Manager.Replace", "0 1 1"},
		"without it by its path":      {"-without balancer/second " + kernel + " Manager.Replace", "0 1 1"},
		"the rest of the kernel":      {"-alone " + kernel + " Manager.Save", "0 1 1"},
		"an embedded part of Driver":  {toy + " Observe", "0 1 1"},
		"Balancers, if no Driver has": {toy + " Apply", "0 1 2"},
		"a type that is named":        {toy + " Balancers.Apply", "0 1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(test.args)
			want := args[len(args)-1] + " " + test.want + "\n"
			var out strings.Builder
			if err := run(args, &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != want {
				t.Errorf("returns %s: %q, want %q", test.args, out.String(), want)
			}
		})
	}
}

func TestEachEntryIsCountedByItself(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"testdata/kernel/balancer", "Manager.Ensure", "Manager.Delete"}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "Manager.Ensure 1 2 3\nManager.Delete 0 1 2\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestMistakesAreTold(t *testing.T) {
	for args, want := range map[string]string{
		"testdata/kernel/balancer":                                      "usage",
		"testdata/kernel/balancer Manager.Nothing":                      "no type Manager has a method Nothing",
		"testdata/kernel/machine Manager.Ensure":                        "no type Manager",
		"testdata/providers/toy Nothing":                                "no type Driver or Balancers",
		"-without nothing testdata/kernel/balancer Manager.Ensure":      "no package nothing",
		"-without balancer testdata/kernel/balancer/ Manager.Ensure":    "no type Manager",
		"-without example.com/cl testdata/kernel/balancer Manager.Save": "no package example.com/cl",
	} {
		var out strings.Builder
		if err := run(strings.Fields(args), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("returns %s: %v, want %q", args, err, want)
		}
	}
}
