package inventory

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// source is the file in its last version without mistakes.
type source struct {
	read    func() ([]byte, error)
	current atomic.Pointer[inventory]

	// mu makes one Reload follow another. content is that of current.
	mu      sync.Mutex
	content []byte
}

var _ cloud.Inventory = (*source)(nil)

// Open reads the file for the first time. The error names all mistakes.
func Open(read func() ([]byte, error)) (cloud.Inventory, error) {
	s := &source{read: read}
	if _, err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Reload implements cloud.Inventory.
func (s *source) Reload(ctx context.Context) (changed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return s.load()
}

func (s *source) load() (changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, err := s.read()
	switch {
	case err != nil:
		return false, fmt.Errorf("reading the inventory: %w", err)
	case s.current.Load() != nil && bytes.Equal(content, s.content):
		return false, nil
	}
	next, err := parse(content)
	if err != nil {
		return false, err
	}
	s.content = content
	s.current.Store(next)
	return true, nil
}

// Match implements cloud.Inventory.
func (s *source) Match(node cloud.NodeAttributes) (cloud.InventoryEntry, bool) {
	return s.current.Load().match(node)
}

// Judge implements cloud.Inventory.
func (s *source) Judge(node cloud.NodeAttributes) []cloud.InventoryJudgement {
	return s.current.Load().judge(node)
}

// Nearest implements cloud.Inventory.
func (s *source) Nearest(node cloud.NodeAttributes) []string { return s.current.Load().nearest(node) }

// Warnings implements cloud.Inventory.
func (s *source) Warnings() []string { return s.current.Load().warnings }

// Entries implements cloud.Inventory.
func (s *source) Entries() []string {
	var all []string
	for _, m := range s.current.Load().machines {
		all = append(all, m.Entry)
	}
	return all
}
