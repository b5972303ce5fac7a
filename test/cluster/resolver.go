package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/net/dns/dnsmessage"
)

// MachineName is the name that the nodes' resolver has for this machine's address in their
// network. Nobody else has it, a cluster's DNS neither: there is none.
const MachineName = "machine.test"

// startResolver starts what the nodes' resolv.conf points to.
func (c *Cluster) startResolver(ctx context.Context) error {
	var listen net.ListenConfig
	connection, err := listen.ListenPacket(ctx, "udp", net.JoinHostPort(c.slot.gateway().String(), "53"))
	if err != nil {
		return fmt.Errorf("starting the nodes' resolver: %w", err)
	}
	c.resolver = connection
	go c.resolve(connection)
	return nil
}

// resolve answers until the connection is closed.
func (c *Cluster) resolve(connection net.PacketConn) {
	question := make([]byte, 512)
	for {
		n, client, err := connection.ReadFrom(question)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if answer, err := c.answer(question[:n]); err == nil {
			_, _ = connection.WriteTo(answer, client) // who gets none asks again
		}
	}
}

// answer knows one name with one address.
func (c *Cluster) answer(packet []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, err
	}
	m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true}
	m.Additionals = nil
	for _, q := range m.Questions {
		switch {
		case q.Name.String() != MachineName+".":
			m.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
				Body:   &dnsmessage.AResource{A: c.slot.gateway().As4()},
			})
		}
	}
	return m.Pack()
}
