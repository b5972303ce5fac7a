// Returns counts how often somebody who follows a change of a load balancer through the source of
// a provider comes back to a file that they have left already. Each function is read once, in the
// order in which it is reached; functions of other modules and of the kernel are not read.
//
//	go run ./returns ../providers/openstack Resources ResourceKinds
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: returns FOLDER METHOD...")
		os.Exit(2)
	}
	if err := count(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func count(folder string, entries []string) error {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
		Dir:  folder,
	}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return fmt.Errorf("loading %s: %w", folder, err)
	}
	r := reader{functions: map[string]function{}, read: map[string]bool{}, left: map[string]bool{}}
	for _, p := range loaded {
		r.add(p)
	}
	for _, entry := range entries {
		r.enter(entry, loaded)
	}
	fmt.Println(r.returns)
	return nil
}

// function is the body of a function with what its names mean.
type function struct {
	body *ast.BlockStmt
	info *types.Info
	file string
}

type reader struct {
	functions map[string]function // by full name
	read      map[string]bool
	left      map[string]bool
	file      string
	returns   int
}

func (r *reader) add(p *packages.Package) {
	for _, file := range p.Syntax {
		name := p.Fset.Position(file.Package).Filename
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if object, ok := p.TypesInfo.Defs[f.Name].(*types.Func); ok {
				r.functions[object.Origin().FullName()] = function{f.Body, p.TypesInfo, name}
			}
		}
	}
}

// enter follows the method of that name of the type Driver, its own or that of a part of it, of the
// first package that has it; else that of the type Balancers, of which a driver is made when it starts.
func (r *reader) enter(method string, loaded []*packages.Package) {
	for _, name := range []string{"Driver", "Balancers"} {
		for _, p := range loaded {
			driver := p.Types.Scope().Lookup(name)
			if driver == nil {
				continue
			}
			object, _, _ := types.LookupFieldOrMethod(types.NewPointer(driver.Type()), true, p.Types, method)
			if f, ok := object.(*types.Func); ok && r.functions[f.Origin().FullName()].body != nil {
				r.follow(f.Origin().FullName())
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, "no Driver or Balancers has a method", method)
	os.Exit(1)
}

func (r *reader) follow(name string) {
	f, known := r.functions[name]
	if !known || r.read[name] {
		return
	}
	r.read[name] = true
	r.open(f.file)
	ast.Inspect(f.body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if object, ok := f.info.Uses[id].(*types.Func); ok && id.Pos() != token.NoPos {
			for _, target := range r.targets(object.Origin()) {
				r.follow(target)
			}
		}
		return true
	})
}

// targets are the functions that a name stands for: those of any type with a method of that name,
// where it is one of an interface.
func (r *reader) targets(f *types.Func) []string {
	signature, ok := f.Type().(*types.Signature)
	if !ok || signature.Recv() == nil || !types.IsInterface(signature.Recv().Type()) {
		return []string{f.FullName()}
	}
	var names []string
	for name := range r.functions {
		if strings.HasSuffix(name, ")."+f.Name()) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return nil // several could be meant
	}
	return names
}

func (r *reader) open(file string) {
	if file == r.file {
		return
	}
	if r.left[file] {
		r.returns++
	}
	r.left[r.file] = true
	r.file = file
}
