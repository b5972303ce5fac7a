package main

import (
	"go/ast"
	"go/types"
)

// reader follows one path.
type reader struct {
	code    *source
	read    map[*ast.BlockStmt]bool
	opened  map[string]bool
	file    string
	returns int
	entered int // functions
}

func newReader(code *source) *reader {
	return &reader{code: code, read: map[*ast.BlockStmt]bool{}, opened: map[string]bool{}}
}

// follow reads a function and what it leads to, in the order in which names are met.
func (r *reader) follow(f function) {
	if r.read[f.body] {
		return
	}
	r.read[f.body] = true
	r.entered++
	r.open(f.place.Filename)
	called := map[*ast.Ident]bool{} // names of fields that are called
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			// It is read where it is written, if it was not reached before.
			if r.read[n.Body] {
				return false
			}
			r.read[n.Body] = true
		case *ast.CallExpr:
			if name, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				called[name.Sel] = true
			}
		case *ast.Ident:
			for _, target := range r.meant(f.info.Uses[n], called[n]) {
				r.follow(target)
			}
		}
		return true
	})
}

// meant are the functions to which a name leads.
func (r *reader) meant(object types.Object, called bool) []function {
	if f, ok := object.(*types.Func); ok {
		return r.code.targets(f.Origin())
	}
	if field := functionField(object); called && field != nil {
		return r.code.kept(field)
	}
	return nil
}

func (r *reader) open(file string) {
	if file == r.file {
		return
	}
	if r.opened[file] {
		r.returns++
	}
	r.opened[file] = true
	r.file = file
}
