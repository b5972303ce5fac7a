package controlplane

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/sys/unix"
)

// documentationAddress stands in for the machine's own address when it has
// none. Nothing ever connects to it: it only appears in the endpoints of the
// Service "kubernetes", which may not be loopback.
const documentationAddress = "192.0.2.1"

// port is a TCP port on an address that is kept for a program: only programs
// that set SO_REUSEPORT, with --permit-port-sharing, can listen on it. That
// holds between restarts of the program too.
type port struct {
	address netip.Addr
	number  int
	socket  int // bound, never listening, so no connection comes here
}

// reservePort has the kernel choose a free port on an IPv4 address.
func reservePort(address netip.Addr) (*port, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	p := &port{address: address, socket: socket}
	if err := p.bind(); err != nil {
		p.release()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func (p *port) bind() error {
	unix.CloseOnExec(p.socket)
	if err := unix.SetsockoptInt(p.socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(p.socket, &unix.SockaddrInet4{Addr: p.address.As4()}); err != nil {
		return err
	}
	name, err := unix.Getsockname(p.socket)
	if err != nil {
		return err
	}
	address, ok := name.(*unix.SockaddrInet4)
	if !ok {
		return fmt.Errorf("socket has a name of type %T", name)
	}
	p.number = address.Port
	return nil
}

func (p *port) release() {
	if p != nil {
		_ = unix.Close(p.socket)
	}
}

// ReservePort keeps a free port of 127.0.0.1, until release is called, for a program that is started with
// --permit-port-sharing. A port that was only looked for may be somebody else's by the time when the program
// listens.
func ReservePort() (number int, release func(), err error) {
	p, err := reservePort(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	if err != nil {
		return 0, nil, err
	}
	return p.number, p.release, nil
}

// url returns where an HTTPS server on p is reached.
func (p *port) url() string { return fmt.Sprintf("https://%s:%d", p.address, p.number) }

// advertiseAddress returns the API server's own address when that may be in the
// endpoints of the Service "kubernetes", else an IPv4 address of this machine
// that is neither loopback nor link-local, else documentationAddress.
func advertiseAddress(own netip.Addr) netip.Addr {
	if own.IsGlobalUnicast() {
		return own
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		addresses = nil
	}
	for _, a := range addresses {
		prefix, err := netip.ParsePrefix(a.String())
		if err == nil && prefix.Addr().Is4() && prefix.Addr().IsGlobalUnicast() {
			return prefix.Addr()
		}
	}
	return netip.MustParseAddr(documentationAddress)
}

// serviceAddresses returns the address that the Service "kubernetes" gets in
// each range of cidrs.
func serviceAddresses(cidrs string) ([]netip.Addr, error) {
	var first []netip.Addr
	for cidr := range strings.SplitSeq(cidrs, ",") {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return nil, fmt.Errorf("parse the Service range: %w", err)
		}
		first = append(first, prefix.Masked().Addr().Next())
	}
	return first, nil
}
