package cluster

import (
	"embed"
	"fmt"
	"os"
)

//go:embed config
var configs embed.FS

// config returns a file of the folder config with its $VARIABLES filled in.
func config(name string, variables map[string]string) ([]byte, error) {
	content, err := configs.ReadFile("config/" + name)
	if err != nil {
		return nil, fmt.Errorf("reading a configuration: %w", err)
	}
	return []byte(os.Expand(string(content), func(variable string) string { return variables[variable] })), nil
}

func writeConfig(path, name string, variables map[string]string) error {
	content, err := config(name, variables)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("writing a configuration: %w", err)
	}
	return nil
}
