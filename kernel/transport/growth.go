package transport

import (
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// maxGrowth is how many bytes the heap may grow while a large answer is read. A page of a thousand
	// instances of EC2, each with 58 addresses, is within it. A list that grows takes as much again, and more.
	maxGrowth = 32 << 20
	// growthStep is after how much of an answer the heap is looked at. The worst that is known, an empty
	// element in a list of EC2's instances, becomes 5 MB until then.
	growthStep = 128 << 10
)

// growth bounds what the SDK makes of an answer in memory. XML is decoded while it is read, and no
// count of its characters tells what becomes of them: an element of seven becomes a structure of
// 2.5 KB in one place and nothing in another. Large answers are read one at a time, so that what the
// heap grows is nearly all of this one.
type growth struct {
	begun bool
	// base is the smallest heap since the answer is large.
	base uint64
	// next is the size of the answer at which the heap is looked at again.
	next int
}

// check is called with the weight of what was read of the answer.
func (g *growth) check(size int) error {
	if size < g.next {
		return nil
	}
	g.next = size + growthStep
	now := heapBytes()
	if !g.begun || now < g.base {
		g.begun, g.base = true, now
	}
	if now-g.base <= maxGrowth {
		return nil
	}
	runtime.GC() // garbage does not count
	if now = heapBytes(); now < g.base+maxGrowth {
		return nil
	}
	return &cloud.Unreadable{Why: fmt.Sprintf("it takes more than %d MiB of memory", maxGrowth>>20)}
}

// heapBytes is what the objects on the heap take, with those that are not collected yet.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
