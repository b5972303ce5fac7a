// Command hcloud-emulator serves the emulated Hetzner Cloud API and the Robot web service until it is
// interrupted, for trying things by hand.
package main

import (
	"context"
	"flag"
	"io"

	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func main() { command.Main("hcloud-emulator", run) }

// settings are the flags.
type settings struct {
	listen, listenRobot string
	network, names      string
	servers, dedicated  int
	options             hcloud.Options
}

// run serves until ctx ends. It prints the base URL of the cloud API as its first line and that of
// Robot as its second one.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	server := hcloud.New(s.options)
	defer server.Close()
	s.seed(server)
	if _, err := server.Listen(s.listen); err != nil {
		return err
	}
	robot, err := server.Robot.Listen(s.listenRobot)
	if err != nil {
		return err
	}
	return command.Serve(ctx, out, server.Endpoint(), robot)
}

// seed adds what the flags ask for. The metadata service speaks for the first server.
func (s *settings) seed(server *hcloud.Server) {
	if s.network != "" {
		server.AddNetwork(hcloud.Network{Name: s.network})
	}
	seeded := server.SeedMachines(s.servers)
	for _, name := range command.Names(s.names) {
		seeded = append(seeded, server.SeedMachines(1, func(m *hcloud.Machine) { m.Name = name })...)
	}
	if len(seeded) > 0 {
		server.SetSelf(seeded[0].ID)
	}
	server.Robot.Seed(s.dedicated)
}

func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("hcloud-emulator", flag.ContinueOnError)
	f.StringVar(&s.listen, "listen", "127.0.0.1:8500", "`address` of the cloud API and the metadata service; port 0 takes a free one")
	f.StringVar(&s.listenRobot, "listen-robot", "127.0.0.1:8501", "`address` of Robot; port 0 takes a free one")
	f.StringVar(&s.network, "network", "", "add a network of this `name`, 10.0.0.0/16, and put all servers into it")
	f.IntVar(&s.servers, "servers", 0, "seed this many servers, node-0, node-1, ...")
	f.StringVar(&s.names, "server-names", "", "seed servers with these comma-separated `names`")
	f.IntVar(&s.dedicated, "dedicated", 0, "seed this many dedicated servers, metal-0, metal-1, ...")
	o := &s.options
	f.StringVar(&o.Token, "token", "test-token", "token that is accepted")
	f.StringVar(&o.Location, "location", "fsn1", "location of the servers")
	f.StringVar(&o.Robot.User, "robot-user", "robot-user", "user of Robot")
	f.StringVar(&o.Robot.Password, "robot-password", "robot-password", "password of Robot")
	f.DurationVar(&o.Delay, "delay", 0, "how long actions run; negative: until POST /_emulator/actions/finish")
	f.DurationVar(&o.IssueDelay, "issue-delay", 0, "how long the issuance of a managed certificate runs; as -delay when 0")
	f.BoolVar(&o.DetachKeepsTargets, "detach-keeps-targets", false, "leave targets with private addresses when a load balancer leaves its network")
	f.BoolVar(&o.Conflict, "conflict", false, "answer 409 conflict instead of 423 locked while an action runs")
	f.IntVar(&o.BalancerLimit, "load-balancer-limit", 0, "load balancers per project; 0 is no limit")
	f.DurationVar(&o.Latency, "latency", 0, "added to every request")
	f.IntVar(&o.Quota.Hour, "requests-per-hour", 0, "request quota per project, published: 3600; 0 is no limit")
	f.IntVar(&o.Robot.ServerLimit, "robot-server-limit", 0, "requests an hour for dedicated servers, published: 200; 0 is no limit")
	f.IntVar(&o.Robot.ResetLimit, "robot-reset-limit", 0, "requests an hour for reset states, published: 500; 0 is no limit")
	if err := command.Parse(f, args); err != nil {
		return settings{}, err
	}
	return s, nil
}
