package traffic_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

func TestBookCountsAndCuts(t *testing.T) {
	book := traffic.Book{Keep: 2}
	for range 3 {
		book.Add(traffic.Request{Method: "GET", Route: "GET /a", Status: 200, Bytes: 10})
	}
	book.Add(traffic.Request{Method: "PUT", Route: "PUT /a", Status: 422})
	counters := book.Counters()
	if counters.Total != 4 || counters.Mutating != 1 || counters.Of("GET /a") != 3 || counters.Of("GET /b") != 0 {
		t.Errorf("counters %+v", counters)
	}
	if got := counters.Routes["GET /a"]; got.Bytes != 30 || got.Status["200"] != 3 {
		t.Errorf("route %+v", got)
	}
	log := book.Requests()
	if len(log) != 2 || log[0].N != 3 || log[1].N != 4 {
		t.Errorf("log %+v, want requests 3 and 4", log)
	}
	book.Reset()
	if book.Counters().Total != 0 || len(book.Requests()) != 0 {
		t.Error("the book is not empty after a reset")
	}
}
