package static_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// A Node that no entry fits waits, and is told once. Once the file has it, it is initialised, long before the controller would have tried
// again by itself.
func TestInventoryIsReadAgain(t *testing.T) {
	const (
		// soon is that the file is read every 10 s.
		soon = 15 * time.Second
		// refusals are those until the controller waits for 5 ms * 2^12, which is 20 s: longer than soon.
		refusals = 13
	)
	s := open(t)
	const entries = "machines:\n- {selector: site=office}\n- {name: nas-1}\n- {names: 'nas-2*'}\n- {name: elsewhere-of-another-name}\n- {name: nas-34}\n"
	f := s.file(head + entries)
	f.start()
	// Behind the start: the process is there when the Node comes, and tries as often as it can.
	waiting := s.join(controlplane.NodeOptions{Name: "nas-3", ProvidedNodeIP: "192.168.1.5"})
	s.warned("nas-3", "InstanceNotFound", "no entry of the inventory (--cloud-config) fits",
		"nearest: machines[1], name nas-1; machines[4], name nas-34; machines[2], names nas-2*;", "others: true")
	s.eventually(func() error { return s.refused("nas-3", refusals) })
	if events := s.events("nas-3", "InstanceNotFound"); len(events) != 1 || events[0].Count > 1 {
		t.Errorf("%d events tell of it: %+v", len(events), events)
	}
	s.untouched(waiting)

	written := time.Now()
	f.write(head + entries + "- {name: nas-3, zone: attic}\n")
	node := s.node("nas-3", is("static://nas-3", "InternalIP 192.168.1.5"))
	if took := time.Since(written); took > soon {
		t.Errorf("it took %s from the file to the Node", took)
	}
	s.labelled(node, described("home", "attic", "", nil))
}

// refused returns an error until the controller was refused a Node's machine so often.
func (s *site) refused(node string, times int) error {
	if n := strings.Count(s.process.Log(), "] error syncing '"+node+"'"); n < times {
		return fmt.Errorf("node %s was refused %d times", node, n)
	}
	return nil
}

// A file that is replaced by a wrong one changes nothing: Nodes of the last one without mistakes are initialised. The log says what is
// wrong and where, and the metric that something is.
func TestWrongInventoryKeepsTheLast(t *testing.T) {
	s := open(t)
	right := head + "machines:\n- {name: nas-1, zone: attic}\n- {name: nas-2, zone: attic, externalIPs: [203.0.113.1]}\n"
	f := s.file(right)
	s.join(controlplane.NodeOptions{Name: "nas-2", ProvidedNodeIP: "192.168.1.6"})
	f.start()
	s.node("nas-2", is("static://nas-2", "InternalIP 192.168.1.6", "ExternalIP 203.0.113.1"))
	scrape := s.scrape()
	s.fileWrong(scrape, 0)

	f.write(head + "machines:\n- {name: nas-2, zone: cellar}\n- {name: nas-9, zoen: cellar}\n")
	s.fileWrong(scrape, 1)
	if s.said(isWrong) != 1 || s.said("machines[1].zoen: no such key, did you mean zone?") != 1 {
		t.Error("the log does not say once what is wrong, and where")
	}
	s.join(controlplane.NodeOptions{Name: "nas-1", ProvidedNodeIP: "192.168.1.5"})
	s.labelled(s.node("nas-1", is("static://nas-1", "InternalIP 192.168.1.5")), described("home", "attic", "", nil))
	s.looked()
	s.node("nas-2", is("static://nas-2", "InternalIP 192.168.1.6", "ExternalIP 203.0.113.1"))

	f.write(right)
	s.fileWrong(scrape, 0)
	if s.said(isMended) != 1 || s.said(hasChanged) != 0 {
		t.Error("the log does not say that the last inventory counts as before")
	}
}
