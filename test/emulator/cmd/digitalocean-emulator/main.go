// Command digitalocean-emulator serves the emulated DigitalOcean v2 API until
// it is interrupted. It is what `make quickstart CLOUD=digitalocean` talks to.
package main

import (
	"context"
	"flag"
	"io"

	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

func main() { command.Main("digitalocean-emulator", run) }

// settings are the flags.
type settings struct {
	listen  string
	names   string
	count   int
	options digitalocean.Options
}

// run serves until ctx ends. It prints the base URL as its first line.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	server := digitalocean.New(s.options)
	defer server.Close()
	server.Droplets.Seed(s.count)
	for _, name := range command.Names(s.names) {
		server.Droplets.Seed(1, func(d *digitalocean.Droplet) { d.Name = name })
	}
	url, err := server.Listen(s.listen)
	if err != nil {
		return err
	}
	return command.Serve(ctx, out, url)
}

func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("digitalocean-emulator", flag.ContinueOnError)
	f.StringVar(&s.listen, "listen", "127.0.0.1:8300", "`address` to listen on; port 0 takes a free one")
	f.IntVar(&s.count, "droplets", 0, "seed this many droplets, node-0, node-1, ...")
	f.StringVar(&s.names, "droplet-names", "", "seed droplets with these comma-separated `names`")
	o := &s.options
	f.StringVar(&o.Token, "token", "test-token", "bearer token that is accepted")
	f.StringVar(&o.Region, "region", "nyc3", "region of the droplets and of the metadata service")
	f.DurationVar(&o.ActivateAfter, "activate-after", 0, "how long a load balancer stays new; negative: until POST /_emulator/load_balancers/activate")
	f.BoolVar(&o.AllowUpdateWhileNew, "allow-update-while-new", false, "accept changes of a load balancer that is still new")
	f.BoolVar(&o.ResizeOncePerHour, "resize-once-per-hour", false, "refuse a second resize within an hour")
	f.BoolVar(&o.UniqueBalancerNames, "unique-names", false, "refuse a second load balancer of the same name")
	f.IntVar(&o.BalancerLimit, "load-balancer-limit", 0, "load balancers per account; 0 is no limit")
	f.DurationVar(&o.Latency, "latency", 0, "added to every API request")
	f.IntVar(&o.Quota.Hour, "requests-per-hour", 0, "request quota per token, published: 5000; 0 is no limit")
	f.IntVar(&o.Quota.Minute, "requests-per-minute", 0, "burst quota per token, published: 250; 0 is no limit")
	if err := command.Parse(f, args); err != nil {
		return settings{}, err
	}
	return s, nil
}
