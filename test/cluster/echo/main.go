// Command echo answers on port 8080 with who answers and who asked: every HTTP request, and every datagram.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

const address = ":8080"

func main() {
	failed := make(chan error)
	go func() { failed <- datagrams() }()
	go func() {
		server := http.Server{ReadHeaderTimeout: 10 * time.Second, Addr: address, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(answer(r.RemoteAddr)) // the client may have gone
		})}
		failed <- server.ListenAndServe()
	}()
	fmt.Fprintln(os.Stderr, <-failed)
	os.Exit(1)
}

func datagrams() error {
	connection, err := net.ListenPacket("udp", address)
	if err != nil {
		return err
	}
	question := make([]byte, 512)
	for {
		_, client, err := connection.ReadFrom(question)
		if err != nil {
			return err
		}
		_, _ = connection.WriteTo(answer(client.String()), client) // who gets none asks again
	}
}

func answer(client string) []byte {
	text, _ := json.Marshal(map[string]string{"pod": os.Getenv("POD_NAME"), "node": os.Getenv("NODE_NAME"), "client": client}) // texts can be encoded
	return append(text, '\n')
}
