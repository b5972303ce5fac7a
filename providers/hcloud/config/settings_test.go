package config

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// given is the configuration with these variables.
func given(variables map[string]string) cloud.Config {
	lookup := func(name string) string {
		for _, s := range Declared() {
			if s.Name == name {
				if value := variables[name]; value != "" {
					return value
				}
				return s.Default
			}
		}
		panic(name + " is not declared")
	}
	return cloud.Config{Lookup: lookup, Secret: func(name string) (string, error) { return lookup(name), nil }}
}

func TestDefaults(t *testing.T) {
	s, err := Read(given(map[string]string{EnvToken: "t"}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Endpoint.String() != "https://api.hetzner.cloud/v1" || s.Robot.BaseURL.String() != "https://robot-ws.your-server.de/" {
		t.Errorf("URLs %s, %s", s.Endpoint, s.Robot.BaseURL)
	}
	if s.Network != "" || s.Routes || !s.AttachedCheck || !s.IPv4 || s.IPv6 || !s.ZoneLabel {
		t.Errorf("nodes: %+v", s)
	}
	if s.Robot.Enabled || s.Robot.Credentials || !s.Robot.ForwardInternalIPs {
		t.Errorf("robot: %+v", s.Robot)
	}
	if !s.Balancers {
		t.Error("no load balancers")
	}
}

func TestAllSet(t *testing.T) {
	s, err := Read(given(map[string]string{
		EnvToken: " t\n", EnvNetwork: " net ", EnvNoAttachCheck: "t", EnvFamily: "DualStack", EnvZoneLabel: "0",
		EnvRobot: "TRUE", EnvRobotUser: "u", EnvRobotPassword: "p", EnvRobotAddresses: "false",
		EnvRobotName: "1", EnvBalancers: "F",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Network != "net" || !s.Routes || s.AttachedCheck || !s.IPv4 || !s.IPv6 || s.ZoneLabel {
		t.Errorf("nodes: %+v", s)
	}
	if !s.Robot.Enabled || !s.Robot.Credentials || s.Robot.ForwardInternalIPs || !s.Robot.NameMustMatch {
		t.Errorf("robot: %+v", s.Robot)
	}
	if s.Balancers {
		t.Error("load balancers are not off")
	}
}

// All problems are told at once, each by its variable.
func TestProblems(t *testing.T) {
	wrong := map[string]string{
		EnvEndpoint: "api.example.com", EnvNoAttachCheck: "yes", EnvRoutes: "on", EnvFamily: "ipv5", EnvZoneLabel: "maybe", EnvRobot: "enabled",
		EnvRobotUser: "u", EnvBalancers: "y",
	}
	_, err := Read(given(wrong))
	if err == nil {
		t.Fatal("no problem")
	}
	for _, name := range []string{
		EnvEndpoint, EnvNoAttachCheck, EnvRoutes, EnvFamily, EnvZoneLabel, EnvRobot, EnvRobotPassword, EnvBalancers,
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not told", name)
		}
	}
}
