package chart_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// least is the smallest limit of memory that the chart accepts.
const least = 64 << 20

// With the smallest limit that the chart accepts, the program does its work and stays below it. What the kernel can drop
// at any time, the pages of the binary, does not count.
func TestLeastMemory(t *testing.T) {
	c, binary := aCluster(t), program(t)
	if _, err := c.JoinNode(within(t), controlplane.NodeOptions{Name: "memory-1", Ready: true}); err != nil {
		t.Fatal(err)
	}
	values := []string{minimal("sim"), "{fullnameOverride: ccm-memory, resources: {limits: {memory: 64Mi}}, metrics: {unauthenticated: true}, sim: {machines: [memory-1]}}"}
	runProgram(t, c, binary, mustRender(t, release{values: values}), func(p *ccm.Process) {
		serviceServed(t, c)
		memory, err := p.Memory()
		if err != nil {
			t.Fatal(err)
		}
		if needed := memory.Peak - memory.Binary; needed > least {
			t.Errorf("the program needed %d bytes of %d", needed, least)
		}
		t.Logf("peak %d MiB, of it %d MiB of the binary", memory.Peak>>20, memory.Binary>>20)
	})
}

// A limit below that is refused, in whatever unit.
func TestTooLittleMemory(t *testing.T) {
	for memory, fits := range map[string]bool{
		"64Mi": true, "67108864": true, "0.0625Gi": true, "1G": true, "": true,
		"63Mi": false, "32M": false, "512m": false, "128": false, "60000k": false,
	} {
		_, err := render(t, release{values: []string{minimal("sim"), `resources: {requests: null, limits: {memory: "` + memory + `"}}`}})
		if (err == nil) != fits {
			t.Errorf("%q: %v", memory, err)
		}
	}
}
