package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// kernel is the folder that is read as a whole.
const kernel = "kernel"

// function is the body of a function or of a function literal, with what its names mean.
type function struct {
	body  *ast.BlockStmt
	info  *types.Info
	place token.Position
}

// source is what was loaded.
type source struct {
	entries   []*packages.Package        // those that an entry may be in
	functions map[*types.Func]function   // without those that have no body
	values    map[*types.Var][]value     // what is assigned to a field that holds a function
	named     []*types.Named             // types that may implement an interface
	found     map[*types.Func][]function // implementations that were looked for, by method of the interface
}

// load takes the packages in the folder read and below, but those that are left out. Entries may be in those of
// another folder there.
func load(entries, read string, without []string) (*source, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
		Dir: read,
	}, "./...")
	if err != nil {
		return nil, err
	}
	loaded, err = withoutTests(loaded, without)
	if err != nil {
		return nil, err
	}
	s := &source{functions: map[*types.Func]function{}, values: map[*types.Var][]value{}, found: map[*types.Func][]function{}}
	for _, p := range loaded {
		if err := s.add(p); err != nil {
			return nil, err
		}
		if p.Dir == entries || strings.HasPrefix(p.Dir, entries+string(filepath.Separator)) {
			s.entries = append(s.entries, p)
		}
	}
	return s, nil
}

// withoutTests takes packages for tests away, and those that are named.
func withoutTests(loaded []*packages.Package, without []string) ([]*packages.Package, error) {
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool { return forTests(p.PkgPath) })
	for _, name := range without {
		all := len(loaded)
		loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool { return within(p.PkgPath, name) })
		if len(loaded) == all {
			return nil, fmt.Errorf("there is no package %s to leave out", name)
		}
	}
	return loaded, nil
}

// whole is the folder of the module's kernel that a folder is in, or else the folder itself.
func whole(folder string) string {
	for above := folder; above != filepath.Dir(above); above = filepath.Dir(above) {
		if filepath.Base(above) == kernel {
			return above
		}
		if _, err := os.Stat(filepath.Join(above, "go.mod")); err == nil {
			break
		}
	}
	return folder
}

func forTests(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(element string) bool {
		return element == "conformance" || strings.HasSuffix(element, "test")
	})
}

// within says whether a path is that of the named package or of one below it.
func within(path, name string) bool {
	return strings.Contains("/"+path+"/", "/"+name+"/")
}

func (s *source) add(p *packages.Package) error {
	var problems []error
	for _, problem := range p.Errors {
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("reading %s: %w", p.PkgPath, errors.Join(problems...))
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				if object, ok := p.TypesInfo.Defs[f.Name].(*types.Func); ok {
					s.functions[object] = function{f.Body, p.TypesInfo, p.Fset.Position(f.Pos())}
				}
			}
		}
		s.addValues(p, file)
	}
	for _, name := range p.Types.Scope().Names() {
		object, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() || types.IsInterface(object.Type()) {
			continue
		}
		if named, ok := object.Type().(*types.Named); ok {
			s.named = append(s.named, named)
		}
	}
	return nil
}

// entry is the function that an entry names: Method or Type.Method.
func (s *source) entry(name string) (function, error) {
	owners := []string{"Driver", "Balancers"}
	method := name
	if owner, of, ok := strings.Cut(name, "."); ok {
		owners, method = []string{owner}, of
	}
	for _, owner := range owners {
		for _, p := range s.entries {
			object, ok := p.Types.Scope().Lookup(owner).(*types.TypeName)
			if !ok {
				continue
			}
			if f, ok := s.functions[methodOf(object.Type(), p.Types, method)]; ok {
				return f, nil
			}
		}
	}
	return function{}, fmt.Errorf("no type %s has a method %s with a body", strings.Join(owners, " or "), method)
}
