package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// drawPictures writes the documentation's pictures, and checks what diagrams name. The libraries that draw are in a module of their
// own, so that nothing of them is in the product's.
func drawPictures(root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("finding the top of the repository: %w", err)
	}
	command := exec.Command("go", "run", ".", root)
	command.Dir, command.Stdout, command.Stderr = filepath.Join(root, "hack", "pictures"), os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("drawing the pictures: %w", err)
	}
	return nil
}
