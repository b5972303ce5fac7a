package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MachineName is the name that the nodes' resolver has for this machine's address in their
// network. Nobody else has it, a cluster's DNS neither.
const MachineName = "machine.test"

// serviceDomain is that of the cluster's Services.
const serviceDomain = ".svc.cluster.local."

// lookupLimit bounds a question to the API server. All others wait meanwhile.
const lookupLimit = 2 * time.Second

// lookup returns the IPv4 address of a name, invalid when there is none.
type lookup func(name string) netip.Addr

// startResolver starts what the nodes' resolv.conf points to.
func (c *Cluster) startResolver(ctx context.Context) error {
	gateway := c.slot.gateway()
	return c.serveDNS(ctx, gateway, func(name string) (address netip.Addr) {
		if name == MachineName+"." {
			address = gateway
		}
		return address
	})
}

// startServiceDNS starts, with Options.DNS, what pods with dnsPolicy ClusterFirst ask. It knows cluster addresses of Services.
func (c *Cluster) startServiceDNS(ctx context.Context) error {
	if !c.opts.DNS {
		return nil
	}
	if err := command(ctx, "ip", "addr", "add", withBits(c.slot.serviceDNS(), c.slot.network()), "dev", c.slot.link()); err != nil {
		return err
	}
	//nolint:contextcheck // the DNS goes on after the start
	return c.serveDNS(ctx, c.slot.serviceDNS(), func(name string) (address netip.Addr) {
		service, namespace, ok := strings.Cut(strings.TrimSuffix(name, serviceDomain), ".")
		if !ok || !strings.HasSuffix(name, serviceDomain) {
			return address
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookupLimit)
		defer cancel()
		svc, err := c.Client().CoreV1().Services(namespace).Get(ctx, service, metav1.GetOptions{})
		if err == nil {
			address, _ = netip.ParseAddr(svc.Spec.ClusterIP)
		}
		return address
	})
}

// podDNS is the address that kubelets give to pods with dnsPolicy ClusterFirst.
func (c *Cluster) podDNS() string {
	if c.opts.DNS {
		return c.slot.serviceDNS().String()
	}
	return "127.0.0.1"
}

// serveDNS answers at an address of this machine until the connection is closed.
func (c *Cluster) serveDNS(ctx context.Context, at netip.Addr, find lookup) error {
	var listen net.ListenConfig
	connection, err := listen.ListenPacket(ctx, "udp", net.JoinHostPort(at.String(), "53"))
	if err != nil {
		return fmt.Errorf("starting a resolver: %w", err)
	}
	c.resolvers = append(c.resolvers, connection)
	go resolve(connection, find)
	return nil
}

func resolve(connection net.PacketConn, find lookup) {
	question := make([]byte, 512)
	for {
		n, client, err := connection.ReadFrom(question)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if answer, err := answer(question[:n], find); err == nil {
			_, _ = connection.WriteTo(answer, client) // who gets none asks again
		}
	}
}

// answer knows IPv4 addresses. A name that has one has no other records.
func answer(packet []byte, find lookup) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, err
	}
	m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true}
	m.Additionals = nil
	for _, q := range m.Questions {
		address := find(q.Name.String())
		switch {
		case !address.Is4():
			m.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
				Body:   &dnsmessage.AResource{A: address.As4()},
			})
		}
	}
	return m.Pack()
}
