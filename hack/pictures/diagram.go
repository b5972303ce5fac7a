package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// What a diagram may name of the code, each with what it has to be.
var (
	diagrams = regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```$")
	// functions are written as package.Function() or package.Type.Method().
	functions = regexp.MustCompile(`\b([a-z]+)\.((?:[A-Za-z]+\.)?[A-Za-z]+)\(\)`)
	folders   = regexp.MustCompile(`\b(?:kernel|internal|providers|cmd)(?:/[a-z-]+)+`)
	flags     = regexp.MustCompile(`--[a-z][a-z-]+[a-z]`)
	reasons   = regexp.MustCompile(`\bevent ([A-Z][a-z]+[A-Z]\w+)`)
)

// checkDiagrams fails unless the functions, folders, flags and events that diagrams of the pages name are there.
func checkDiagrams(root string) error {
	code, err := declarations(root)
	if err != nil {
		return err
	}
	reference := map[string]string{}
	for _, name := range []string{"flags", "events", "commands"} {
		data, err := os.ReadFile(filepath.Join(root, "docs/reference", name+".md"))
		if err != nil {
			return fmt.Errorf("reading what diagrams may name: %w", err)
		}
		reference[name] = string(data)
	}
	pages, err := pagesOf(root)
	var wrong []error
	for path, text := range pages {
		for _, diagram := range diagrams.FindAllStringSubmatch(text, -1) {
			for _, missing := range missingIn(diagram[1], root, code, reference) {
				wrong = append(wrong, fmt.Errorf("%s: a diagram names %s, which does not exist", path, missing))
			}
		}
	}
	return errors.Join(append(wrong, err)...)
}

// missingIn returns what a diagram names in vain.
func missingIn(diagram, root string, code map[string]bool, reference map[string]string) (missing []string) {
	for _, f := range functions.FindAllStringSubmatch(diagram, -1) {
		if !code[f[1]+"."+f[2]] {
			missing = append(missing, "the function "+f[0])
		}
	}
	for _, folder := range folders.FindAllString(diagram, -1) {
		if info, err := os.Stat(filepath.Join(root, folder)); err != nil || !info.IsDir() {
			missing = append(missing, "the folder "+folder)
		}
	}
	for _, flag := range flags.FindAllString(diagram, -1) {
		if !strings.Contains(reference["flags"]+reference["commands"], "`"+flag) {
			missing = append(missing, "the flag "+flag)
		}
	}
	for _, reason := range reasons.FindAllStringSubmatch(diagram, -1) {
		if !strings.Contains(reference["events"], "`"+reason[1]+"`") {
			missing = append(missing, "the event "+reason[1])
		}
	}
	return missing
}

// declarations returns the functions and methods of the program by package, type and name.
func declarations(root string) (map[string]bool, error) {
	found, files := map[string]bool{}, token.NewFileSet()
	for _, folder := range []string{"kernel", "internal", "providers"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					found[file.Name.Name+"."+receiver(f)+f.Name.Name] = true
				}
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the code that diagrams name: %w", err)
		}
	}
	return found, nil
}

// receiver is the type of a method with a point, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

// pagesOf returns the texts of the documentation and the README by their paths.
func pagesOf(root string) (map[string]string, error) {
	pages := map[string]string{}
	read := func(path string) error {
		data, err := os.ReadFile(path)
		if err == nil {
			name, _ := filepath.Rel(root, path)
			pages[name] = string(data)
		}
		return err
	}
	err := read(filepath.Join(root, "README.md"))
	if err == nil {
		err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			return read(path)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the pages: %w", err)
	}
	return pages, nil
}

// checkUse fails when a picture is in no page.
func checkUse(root string, pictures map[string][]byte) error {
	pages, err := pagesOf(root)
	if err != nil {
		return err
	}
	var all strings.Builder
	for _, text := range pages {
		all.WriteString(text)
	}
	var unused []error
	for name := range pictures {
		if !strings.Contains(all.String(), "/pictures/"+name) {
			unused = append(unused, fmt.Errorf("no page shows %s/%s: show it, or draw it no more", folder, name))
		}
	}
	return errors.Join(unused...)
}
