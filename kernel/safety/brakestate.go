package safety

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

const (
	stateVersion = 1
	// keySize is how many characters of a key's hash are kept.
	keySize = 8
	// maxState bounds a record: an object's annotations may have 256 KiB. Ten thousand
	// nodes need 80 KiB.
	maxState = 160 << 10
	// releaseTTL is how long a release lets through what it was about: with a cloud that
	// allows few requests, proving a thousand machines gone takes as long.
	releaseTTL = 2 * time.Hour
)

// state is what a Brake knows, and its record.
type state struct {
	Version int `json:"version"`
	// Batches are the deletions in the window, in the order of their times.
	Batches []batch `json:"deletions,omitempty"`
	// HeldUntil is the end, in Unix seconds, of the time after an unreadable record.
	HeldUntil int64 `json:"heldUntil,omitempty"`
	// Account is a hash of the account that this cluster's machines are in.
	Account string `json:"account,omitempty"`
	// ReleasedAt is the release that was carried out last.
	ReleasedAt string `json:"releasedAt,omitempty"`
	// Permitted are the keys it lets through until PermittedUntil, in Unix seconds.
	Permitted      keys  `json:"permitted,omitempty"`
	PermittedUntil int64 `json:"permittedUntil,omitempty"`
}

// batch are the deletions of one second.
type batch struct {
	// At is in Unix seconds, rounded up.
	At int64 `json:"at"`
	// Total is how many nodes there were.
	Total int  `json:"of"`
	Keys  keys `json:"keys"`
}

// keys are hashes of keys, one behind the other.
type keys string

func (k keys) size() int { return len(k) / keySize }

func (k keys) has(hash string) bool {
	for rest := k; len(rest) >= keySize; rest = rest[keySize:] {
		if string(rest[:keySize]) == hash {
			return true
		}
	}
	return false
}

func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:keySize]
}

// AccountHash returns what Brake.Remember is given for an account: no more of it is written
// than what is needed to tell it from another one.
func AccountHash(account string) string { return hash("account " + account) }

// load reads a record. Without one the state is known; one that can't be read holds all
// deletions until then.
func load(record string, known state, until time.Time) state {
	if record == "" {
		return known.clone()
	}
	s, err := decode(record)
	if err == nil {
		return s
	}
	s = known.clone()
	s.HeldUntil = ceil(until)
	return s
}

func decode(record string) (state, error) {
	var s state
	if err := json.Unmarshal([]byte(record), &s); err != nil {
		return state{}, fmt.Errorf("decoding the record of deletions: %w", err)
	}
	if s.Version != stateVersion {
		return state{}, fmt.Errorf("the record of deletions has version %d, want %d", s.Version, stateVersion)
	}
	for _, b := range append(slices.Clone(s.Batches), batch{Keys: s.Permitted}) {
		if len(b.Keys)%keySize != 0 || b.Total < 0 {
			return state{}, fmt.Errorf("the record of deletions at %d is damaged", b.At)
		}
	}
	return s, nil
}

// Deletions returns how many deletions a record holds, 0 when it can't be read. Those that have
// left the window do not count.
func Deletions(record string, now time.Time, window time.Duration) int {
	s, err := decode(record)
	if err != nil {
		return 0
	}
	s.expire(now, window)
	return s.size()
}

func (s *state) encode() (string, error) {
	if s.empty() {
		return "", nil
	}
	s.Version = stateVersion
	record, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encoding the record of deletions: %w", err)
	}
	if len(record) > maxState {
		return "", fmt.Errorf("the record of deletions has %d bytes, more than the %d that are possible", len(record), maxState)
	}
	return string(record), nil
}

func (s *state) empty() bool {
	return len(s.Batches) == 0 && s.HeldUntil == 0 && s.Account == "" && s.ReleasedAt == "" && s.Permitted == ""
}

func (s *state) clone() state {
	c := *s
	c.Batches = slices.Clone(s.Batches)
	return c
}

// expire drops what has left the window. Times that can't be, because a clock was wrong, are
// brought back, so that they hold nothing for ever.
func (s *state) expire(now time.Time, window time.Duration) {
	for n := range s.Batches {
		s.Batches[n].At = min(s.Batches[n].At, ceil(now))
	}
	s.HeldUntil = min(s.HeldUntil, ceil(now.Add(window)))
	s.PermittedUntil = min(s.PermittedUntil, ceil(now.Add(releaseTTL)))
	s.Batches = slices.DeleteFunc(s.Batches, func(b batch) bool { return !now.Before(time.Unix(b.At, 0).Add(window)) })
	if now.Unix() >= s.HeldUntil {
		s.HeldUntil = 0
	}
	if now.Unix() >= s.PermittedUntil {
		s.Permitted, s.PermittedUntil = "", 0
	}
}

// forget drops the deletions until then.
func (s *state) forget(until time.Time) {
	s.Batches = slices.DeleteFunc(s.Batches, func(b batch) bool { return b.At <= ceil(until) })
}

func (s *state) permit(all []string, now time.Time) {
	s.Permitted, s.PermittedUntil = "", 0
	for _, key := range all {
		s.Permitted += keys(hash(key))
	}
	if len(all) > 0 {
		s.PermittedUntil = ceil(now.Add(releaseTTL))
	}
}

func (s *state) released(key string, now time.Time) bool {
	return now.Unix() < s.PermittedUntil && s.Permitted.has(hash(key))
}

func (s *state) counted(key string) bool {
	return slices.ContainsFunc(s.Batches, func(b batch) bool { return b.Keys.has(hash(key)) })
}

// count adds a deletion, unless it is counted already or an operator let it through.
func (s *state) count(key string, total int, now time.Time) {
	if s.counted(key) || s.released(key, now) {
		return
	}
	at := ceil(now)
	if n := len(s.Batches); n == 0 || s.Batches[n-1].At != at {
		s.Batches = append(s.Batches, batch{At: at, Total: total})
	}
	last := &s.Batches[len(s.Batches)-1]
	last.Total = max(last.Total, total)
	last.Keys += keys(hash(key))
}

func (s *state) size() (n int) {
	for _, b := range s.Batches {
		n += b.Keys.size()
	}
	return n
}

// total is the most nodes there were in the window: what was deleted counts.
func (s *state) total() (most int) {
	for _, b := range s.Batches {
		most = max(most, b.Total)
	}
	return most
}

// oldest is the time of the oldest deletion, now when there is none.
func (s *state) oldest() time.Time {
	if len(s.Batches) == 0 {
		return time.Now()
	}
	oldest := s.Batches[0].At
	for _, b := range s.Batches {
		oldest = min(oldest, b.At)
	}
	return time.Unix(oldest, 0)
}

// ceil returns Unix seconds, rounded up.
func ceil(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}
