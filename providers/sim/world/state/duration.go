package state

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a time.Duration that is text such as "30ms" in JSON.
type Duration time.Duration

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf(`a duration is text such as "30ms": %w`, err)
	}
	parsed, err := time.ParseDuration(text)
	*d = Duration(parsed)
	return err
}
