package plane_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// role is the environment variable that makes the test's binary a program in a namespace.
	role = "PLANE_TEST_ROLE"
	// serving is what a server prints when it can be asked.
	serving = "serving"
	// nodePort is where nodes serve, patience bounds the wait for an answer.
	nodePort = 30080
	patience = 2 * time.Second
)

var (
	nodes    = []netip.Addr{netip.MustParseAddr("10.0.0.11"), netip.MustParseAddr("10.0.0.12")}
	balancer = netip.MustParseAddr("198.19.0.1")
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "serve":
		serve()
	case "ask":
		ask(os.Args[1], os.Args[2], os.Args[3])
	default:
		os.Exit(m.Run())
	}
}

// serve answers at all addresses, TCP and UDP, at the node port and at port 82, with the name of the node and the address of the client.
func serve() {
	name := os.Getenv("NODE")
	for _, port := range []int{nodePort, 82} {
		at := ":" + strconv.Itoa(port)
		listener, err := net.Listen("tcp", at)
		check(err)
		if port != nodePort {
			at = netip.AddrPortFrom(balancer, uint16(port)).String() // answers come from there, as kube-proxy has it
		}
		packets, err := net.ListenPacket("udp", at)
		check(err)
		go func() {
			for {
				c, err := listener.Accept()
				check(err)
				go func() {
					buffer := make([]byte, 64)
					for {
						if _, err := c.Read(buffer); err != nil {
							return
						}
						client, _, _ := net.SplitHostPort(c.RemoteAddr().String())
						_, _ = io.WriteString(c, name+" "+client)
					}
				}()
			}
		}()
		go func() {
			buffer := make([]byte, 64)
			for {
				_, client, err := packets.ReadFrom(buffer)
				check(err)
				host, _, _ := net.SplitHostPort(client.String())
				_, _ = packets.WriteTo([]byte(name+" "+host), client)
			}
		}()
	}
	fmt.Println(serving)
	select {}
}

// ask prints the answers to that many questions, each on a connection of its own, as JSON.
func ask(network, address, times string) {
	n, err := strconv.Atoi(times)
	check(err)
	var answers []string
	for range n {
		answers = append(answers, one(network, address))
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}

// one asks once. The network is "tcp" or "udp", or "udp!address:port" for a port of the client's own.
func one(network, address string) string {
	dialer := net.Dialer{Timeout: patience}
	if name, from, ok := strings.Cut(network, "!"); ok {
		network, dialer.LocalAddr = name, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(from))
	}
	c, err := dialer.Dial(network, address)
	if err != nil {
		return "error: " + err.Error()
	}
	defer c.Close()
	return question(c)
}

func question(c net.Conn) string {
	check(c.SetDeadline(time.Now().Add(patience)))
	if _, err := io.WriteString(c, "?"); err != nil {
		return "error: " + err.Error()
	}
	answer := make([]byte, 64)
	n, err := c.Read(answer)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(answer[:n])
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
