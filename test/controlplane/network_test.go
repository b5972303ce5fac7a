package controlplane

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A port that is kept is for the program that shares it, and for nobody else.
func TestReservedPortIsKept(t *testing.T) {
	number, release, err := ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	address := fmt.Sprintf("127.0.0.1:%d", number)
	if l, err := net.Listen("tcp", address); err == nil {
		l.Close()
		t.Errorf("somebody else listens on %s", address)
	}
	sharing := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	}}
	l, err := sharing.Listen(context.Background(), "tcp", address)
	if err != nil {
		t.Fatalf("the program that shares the port cannot listen: %v", err)
	}
	defer l.Close()
	// Every connection comes to the program.
	for range 20 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		accepted.Close()
	}
}
