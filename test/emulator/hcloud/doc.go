// Package hcloud emulates the part of the Hetzner Cloud API that a cloud-controller-manager uses,
// over real HTTP and as strictly as the vendor's public description allows: unknown fields, wrong
// types, bad values and changes of what is locked are refused. The Robot web service of dedicated
// servers is beside it, on an address of its own (package robot).
//
//	server, err := hcloud.Start(hcloud.Options{})
//	defer server.Close()
//	network := server.AddNetwork(hcloud.Network{Name: "cluster"})
//	machines := server.SeedMachines(3)
//	client := hcloud.NewClient(hcloud.WithToken("test-token"), hcloud.WithEndpoint(server.Endpoint()))
//
// What the description does not say is a rule with its source; rules that are a guess say what would
// change in a driver if they are wrong. README.md lists them.
package hcloud
