package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// declarations are the types of a package, and the values of those that have a few only.
type declarations struct {
	types  map[string]*ast.TypeSpec
	docs   map[string]string
	values map[string][]string
}

func readDeclarations(dir string) (declarations, error) {
	d := declarations{map[string]*ast.TypeSpec{}, map[string]string{}, map[string][]string{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return d, fmt.Errorf("listing %s: %w", dir, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return d, fmt.Errorf("reading declarations: %w", err)
		}
		for _, decl := range file.Decls {
			if general, is := decl.(*ast.GenDecl); is {
				d.add(general)
			}
		}
	}
	return d, nil
}

func (d declarations) add(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			d.types[spec.Name.Name] = spec
			d.docs[spec.Name.Name] = sentence(decl.Doc)
		case *ast.ValueSpec:
			of, typed := spec.Type.(*ast.Ident)
			if !typed || decl.Tok != token.CONST {
				continue
			}
			for _, value := range spec.Values {
				if literal, is := value.(*ast.BasicLit); is && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value) // the parser has read it
					d.values[of.Name] = append(d.values[of.Name], text)
				}
			}
		}
	}
}

// subject is how a comment in Go begins: "Level is ".
var subject = regexp.MustCompile(`^\w+ (is|are) `)

// sentence returns a comment without the name of what it is about.
func sentence(comment *ast.CommentGroup) string {
	text := strings.Join(strings.Fields(comment.Text()), " ")
	if rest := text[len(subject.FindString(text)):]; rest != text {
		return strings.ToUpper(rest[:1]) + rest[1:]
	}
	return text
}

// named returns the schema of a type of the package, or of one of Go's own.
func (d declarations) named(name string) (*schema, error) {
	spec := d.types[name]
	if spec == nil {
		own := map[string]string{"string": "string", "int": "integer", "bool": "boolean"}[name]
		if own == "" {
			return nil, fmt.Errorf("type %s has no schema", name)
		}
		return &schema{Type: own}, nil
	}
	s, err := d.of(spec.Type)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.Enum, s.Description = d.values[name], d.docs[name]
	return s, nil
}

func (d declarations) of(expr ast.Expr) (*schema, error) {
	switch expr := expr.(type) {
	case *ast.Ident:
		return d.named(expr.Name)
	case *ast.ArrayType:
		items, err := d.of(expr.Elt)
		return &schema{Type: "array", Items: items}, err
	case *ast.MapType:
		return d.ofMap(expr)
	case *ast.StructType:
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		for _, field := range expr.Fields.List {
			if err := d.field(s, field); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	return nil, fmt.Errorf("%T has no schema", expr)
}

// ofMap returns the schema of a map that has every value of its keys' type.
func (d declarations) ofMap(expr *ast.MapType) (*schema, error) {
	key, _ := expr.Key.(*ast.Ident)
	if key == nil || len(d.values[key.Name]) == 0 {
		return nil, errors.New("a map has no schema unless the values of its keys are constants")
	}
	s := &schema{Type: "object", Required: d.values[key.Name], Properties: map[string]*schema{}}
	for _, name := range s.Required {
		value, err := d.of(expr.Value)
		if err != nil {
			return nil, err
		}
		s.Properties[name] = value
	}
	return s, nil
}

// field adds a field of a struct, or those of an embedded one.
func (d declarations) field(s *schema, field *ast.Field) error {
	of, err := d.of(field.Type)
	if err != nil {
		return err
	}
	if field.Tag == nil {
		for name, property := range of.Properties {
			s.Properties[name] = property
		}
		s.Required = append(s.Required, of.Required...)
		return nil
	}
	tag, _ := strconv.Unquote(field.Tag.Value) // the parser has read it
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if says := sentence(field.Doc); says != "" {
		of.Description = says
	}
	s.Properties[name] = of
	if options != "omitempty" {
		s.Required = append(s.Required, name)
	}
	return nil
}
