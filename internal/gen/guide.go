package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/multicloud-ccm/multicloud-ccm/internal/chart"
)

// generateGuides writes the tables of the migration guides.
func generateGuides(dir string) error {
	path := func(provider string) string { return filepath.Join(dir, "migrate-"+provider+".md") }
	guides := map[string][]byte{}
	for _, provider := range chart.UpstreamProviders() {
		guide, err := os.ReadFile(path(provider))
		if err != nil {
			return fmt.Errorf("reading a guide: %w", err)
		}
		guides[provider] = guide
	}
	written, err := chart.Guides(guides)
	if err != nil {
		return fmt.Errorf("writing the tables of the guides: %w", err)
	}
	for provider, guide := range written {
		if err := put(path(provider), guide); err != nil {
			return err
		}
	}
	return nil
}
