// Command gce-emulator serves the emulated part of Google's Compute API, the OAuth endpoints and the
// metadata server until it is interrupted. Point anything that speaks the API over HTTP at it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

func main() { command.Main("gce-emulator", run) }

// settings are the flags.
type settings struct {
	listen, certificate, key string
	seed, names, regions     string
	count                    int
	options                  gce.Options
}

// run serves until ctx ends. It prints the base URL as its first line.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	seed, err := readSeed(s.seed)
	if err != nil {
		return err
	}
	server := gce.New(s.options)
	defer server.Close()
	for _, name := range command.Names(s.names) {
		seed.Instances = append(seed.Instances, gce.Instance{Name: name})
	}
	server.Load(seed)
	server.SeedInstances(s.count)
	listen := server.Listen
	if s.certificate != "" {
		listen = func(addr string) (string, error) { return server.ListenTLS(addr, s.certificate, s.key) }
	}
	url, err := listen(s.listen)
	if err != nil {
		return err
	}
	return command.Serve(ctx, out, url)
}

func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("gce-emulator", flag.ContinueOnError)
	f.StringVar(&s.listen, "listen", "127.0.0.1:8400", "`address` to listen on; port 0 takes a free one")
	f.StringVar(&s.certificate, "tls-cert", "", "PEM `file` with a certificate; plain HTTP without it")
	f.StringVar(&s.key, "tls-key", "", "PEM `file` with the certificate's key")
	f.StringVar(&s.seed, "seed", "", "JSON `file` with projects, instances, grants and tokens; see gce.Seed")
	f.IntVar(&s.count, "instances", 0, "seed this many instances, node-0, node-1, ...")
	f.StringVar(&s.names, "instance-names", "", "seed instances with these comma-separated `names`")
	f.StringVar(&s.regions, "regions", "us-central1,europe-west1", "comma-separated `regions`, each with zones -a, -b and -c")
	o := &s.options
	f.StringVar(&o.Project, "project", "test-project", "default project")
	f.StringVar(&o.Zone, "zone", "us-central1-a", "zone of seeded instances and of the metadata server")
	f.StringVar(&o.Token, "token", "test-token", "access token with all rights")
	f.StringVar(&o.LinkBase, "link-base", "", "`URL` that links in answers begin with; the real API's when empty")
	f.DurationVar(&o.Delay, "delay", 0, "how long operations run; negative: until POST /_emulator/operations/finish")
	f.DurationVar(&o.TokenLife, "token-life", 0, "how long issued tokens are valid; an hour when 0")
	f.DurationVar(&o.Latency, "latency", 0, "added to every request")
	o.Quotas, o.Rates = map[string]int{}, map[string]int{}
	f.Func("quota", "`METRIC=n`: objects of a metric per project, as in FORWARDING_RULES=15; may be repeated", pairs(o.Quotas))
	f.Func("rate", "`group=n`: requests per minute and project of read, list, mutate or operation; may be repeated", pairs(o.Rates))
	if err := command.Parse(f, args); err != nil {
		return settings{}, err
	}
	if (s.certificate == "") != (s.key == "") {
		return settings{}, errors.New("-tls-cert and -tls-key belong together")
	}
	o.Regions = strings.Split(s.regions, ",")
	return s, nil
}

// pairs reads "name=number" into a map.
func pairs(into map[string]int) func(string) error {
	return func(text string) error {
		name, value, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(value)
		if err != nil || name == "" || n < 0 {
			return fmt.Errorf("%q is not name=number", text)
		}
		into[name] = n
		return nil
	}
}

func readSeed(file string) (gce.Seed, error) {
	var seed gce.Seed
	if file == "" {
		return seed, nil
	}
	content, err := os.Open(file)
	if err != nil {
		return seed, fmt.Errorf("opening the seed: %w", err)
	}
	defer content.Close()
	decoder := json.NewDecoder(content)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&seed); err != nil {
		return seed, fmt.Errorf("reading the seed %s: %w", file, err)
	}
	return seed, nil
}
