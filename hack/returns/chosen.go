package main

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// few is how many functions a field may hold for a reader to read them all.
const few = 3

// value is an expression that is assigned to a field.
type value struct {
	expression ast.Expr
	of         *packages.Package
}

// addValues takes what the file assigns to fields that hold a function.
func (s *source) addValues(p *packages.Package, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			s.addLiteral(p, n)
		case *ast.AssignStmt:
			if len(n.Lhs) != len(n.Rhs) {
				break
			}
			for i, left := range n.Lhs {
				if field, ok := ast.Unparen(left).(*ast.SelectorExpr); ok {
					s.addValue(p, p.TypesInfo.Uses[field.Sel], n.Rhs[i])
				}
			}
		}
		return true
	})
}

func (s *source) addLiteral(p *packages.Package, literal *ast.CompositeLit) {
	t := p.TypesInfo.TypeOf(literal)
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem() // an element of a []*T written without its type
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				s.addValue(p, p.TypesInfo.Uses[key], pair.Value)
			}
			continue
		}
		s.addValue(p, structure.Field(i), element)
	}
}

func (s *source) addValue(p *packages.Package, object types.Object, expression ast.Expr) {
	if field := functionField(object); field != nil {
		s.values[field] = append(s.values[field], value{expression, p})
	}
}

// functionField is the object as a field that holds a function, of the type as it is declared, or nil.
func functionField(object types.Object) *types.Var {
	field, ok := object.(*types.Var)
	if !ok || !field.IsField() {
		return nil
	}
	if _, ok := field.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	return field.Origin()
}

// kept are the functions that a field leads to, ordered by file and place; none where there are more than few.
func (s *source) kept(field *types.Var) []function {
	byBody := map[*ast.BlockStmt]function{}
	s.collect(field, byBody, map[*types.Var]bool{})
	if len(byBody) > few {
		return nil
	}
	var all []function
	for _, f := range byBody {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.place.Filename, b.place.Filename), cmp.Compare(a.place.Offset, b.place.Offset))
	})
	return all
}

func (s *source) collect(field *types.Var, into map[*ast.BlockStmt]function, seen map[*types.Var]bool) {
	if seen[field] {
		return
	}
	seen[field] = true
	for _, v := range s.values[field] {
		if literal, ok := ast.Unparen(v.expression).(*ast.FuncLit); ok {
			into[literal.Body] = function{literal.Body, v.of.TypesInfo, v.of.Fset.Position(literal.Pos())}
			continue
		}
		switch object := named(v.of.TypesInfo, v.expression).(type) {
		case *types.Func:
			for _, f := range s.targets(object.Origin()) {
				into[f.body] = f
			}
		case *types.Var:
			if other := functionField(object); other != nil {
				s.collect(other, into, seen)
			}
		}
	}
}

// named is what an expression that is a name stands for.
func named(info *types.Info, expression ast.Expr) types.Object {
	switch e := ast.Unparen(expression).(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	case *ast.IndexExpr: // a generic function with its type
		return named(info, e.X)
	}
	return nil
}

// targets are the functions that the name of a function stands for: the one of the only implementation, where it is
// a method of an interface.
func (s *source) targets(f *types.Func) []function {
	receiver := f.Signature().Recv()
	if receiver == nil || !types.IsInterface(receiver.Type()) {
		if known, ok := s.functions[f]; ok {
			return []function{known}
		}
		return nil
	}
	if _, known := s.found[f]; !known {
		s.found[f] = s.implementation(f, receiver.Type())
	}
	return s.found[f]
}

func (s *source) implementation(method *types.Func, of types.Type) []function {
	implementations := map[*types.Func]function{}
	for _, t := range s.named {
		// Several types that embed one share its method.
		f := methodOf(t, method.Pkg(), method.Name())
		if known, ok := s.functions[f]; ok && implements(t, of) {
			implementations[f] = known
		}
	}
	if len(implementations) != 1 {
		return nil
	}
	for _, f := range implementations {
		return []function{f}
	}
	return nil
}

// implements says whether a type, or a pointer to it, implements an interface. Where one of them is generic, that it
// has methods of the same names is enough.
func implements(t *types.Named, of types.Type) bool {
	contract, ok := of.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	declared, _ := of.(*types.Named)
	if t.TypeParams().Len() == 0 && (declared == nil || declared.TypeParams().Len() == 0) {
		return types.Implements(types.NewPointer(t), contract)
	}
	for method := range contract.Methods() {
		if methodOf(t, method.Pkg(), method.Name()) == nil {
			return false
		}
	}
	return true
}

// methodOf is the method of that name of a type or of what it embeds, or nil.
func methodOf(t types.Type, from *types.Package, name string) *types.Func {
	object, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, from, name)
	if f, ok := object.(*types.Func); ok {
		return f.Origin()
	}
	return nil
}
