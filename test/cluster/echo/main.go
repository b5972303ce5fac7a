// Command echo answers every HTTP request on port 8080 with who answers and who asked.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	server := http.Server{Addr: ":8080", Handler: http.HandlerFunc(answer), ReadHeaderTimeout: 10 * time.Second}
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]string{ // the client may have gone
		"pod": os.Getenv("POD_NAME"), "node": os.Getenv("NODE_NAME"), "client": r.RemoteAddr,
	})
}
