package config

import (
	"net/netip"
	"strings"
	"testing"
	"time"

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
	if s.Endpoint.String() != "https://api.hetzner.cloud/v1" || s.Robot.BaseURL.String() != "https://robot-ws.your-server.de" {
		t.Errorf("URLs %s, %s", s.Endpoint, s.Robot.BaseURL)
	}
	if s.Network != "" || s.Routes || !s.AttachedCheck || !s.IPv4 || s.IPv6 || !s.ZoneLabel {
		t.Errorf("nodes: %+v", s)
	}
	if s.Robot.Enabled || s.Robot.Credentials || !s.Robot.ForwardInternalIPs {
		t.Errorf("robot: %+v", s.Robot)
	}
	if s.Balancers != (Balancers{Enabled: true}) {
		t.Errorf("balancers: %+v", s.Balancers)
	}
}

func TestAllSet(t *testing.T) {
	s, err := Read(given(map[string]string{
		EnvToken: " t\n", EnvNetwork: " net ", EnvNoAttachCheck: "t", EnvFamily: "DualStack", EnvZoneLabel: "0",
		EnvRobot: "TRUE", EnvRobotUser: "u", EnvRobotPassword: "p", EnvRobotAddresses: "false",
		EnvBalancers: "F", EnvLocation: "fsn1", EnvType: "lb21", EnvAlgorithm: "Least_Connections", EnvPrivateIP: "1", EnvNoPrivateIngress: "1",
		EnvNoIPv6: "1", EnvNoPublicNetwork: "true", EnvProxyProtocol: "false", EnvSubnet: "10.0.1.0/24",
		EnvHealthInterval: "20s", EnvHealthTimeout: "2500ms", EnvHealthRetries: "5",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Network != "net" || !s.Routes || s.AttachedCheck || !s.IPv4 || !s.IPv6 || s.ZoneLabel {
		t.Errorf("nodes: %+v", s)
	}
	if !s.Robot.Enabled || !s.Robot.Credentials || s.Robot.ForwardInternalIPs {
		t.Errorf("robot: %+v", s.Robot)
	}
	b := s.Balancers
	if b.DisablePublicNetwork == nil || !*b.DisablePublicNetwork || b.UsesProxyProtocol == nil || *b.UsesProxyProtocol {
		t.Errorf("three states: %v, %v", b.DisablePublicNetwork, b.UsesProxyProtocol)
	}
	b.DisablePublicNetwork, b.UsesProxyProtocol = nil, nil
	want := Balancers{
		Location: "fsn1", Type: "lb21", Algorithm: AlgorithmLeastConnections, UsePrivateIP: true, DisablePrivateIngress: true, DisableIPv6: true,
		PrivateSubnetIPRange: netip.MustParsePrefix("10.0.1.0/24"), HealthInterval: 20 * time.Second, HealthTimeout: 2 * time.Second, HealthRetries: 5,
	}
	if b != want {
		t.Errorf("balancers: %+v, want %+v", b, want)
	}
}

// All problems are told at once, each by its variable.
func TestProblems(t *testing.T) {
	wrong := map[string]string{
		EnvEndpoint: "api.example.com", EnvNoAttachCheck: "yes", EnvRoutes: "on", EnvFamily: "ipv5", EnvZoneLabel: "maybe", EnvRobot: "enabled",
		EnvRobotUser: "u", EnvBalancers: "y", EnvNetworkZone: "eu-central", EnvLocation: "fsn1", EnvAlgorithm: "random", EnvPrivateIP: "true",
		EnvNoPublicNetwork: "-", EnvProxyProtocol: "v2", EnvSubnet: "10.0.0.1", EnvHealthInterval: "15", EnvHealthTimeout: "-1s", EnvHealthRetries: "1.5",
	}
	_, err := Read(given(wrong))
	if err == nil {
		t.Fatal("no problem")
	}
	for _, name := range []string{
		EnvToken, EnvEndpoint, EnvNoAttachCheck, EnvRoutes, EnvFamily, EnvZoneLabel, EnvRobot, EnvRobotPassword, EnvBalancers, EnvNetworkZone,
		EnvAlgorithm, EnvPrivateIP, EnvNoPublicNetwork, EnvProxyProtocol, EnvSubnet, EnvHealthInterval, EnvHealthTimeout, EnvHealthRetries,
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not told", name)
		}
	}
}
