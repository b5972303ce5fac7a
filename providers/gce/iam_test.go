package gce

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// permissions are those of the methods that are called by another name.
var permissions = map[string]string{"aggregatedList": "list", "insert": "create"}

// further are the permissions of a method on what its request names.
var further = map[string][]string{
	"compute.routes.create": {"compute.instances.use", "compute.networks.updatePolicy"},
	"compute.routes.delete": {"compute.networks.updatePolicy"},
}

// The roles permit what is called, and nothing that is not.
func TestRolesAreWhatIsCalled(t *testing.T) {
	called := calledPermissions(t)
	permitted := map[string]bool{}
	for _, role := range Roles() {
		for _, permission := range role.Permissions {
			permitted[permission] = true
			if !called[permission] {
				t.Errorf("%s: nothing needs %s", role.Name, permission)
			}
		}
		if !slices.IsSorted(role.Permissions) {
			t.Errorf("%s is not sorted", role.Name)
		}
	}
	for _, permission := range slices.Sorted(maps.Keys(called)) {
		if !permitted[permission] {
			t.Errorf("%s is needed, and no role has it", permission)
		}
	}
}

// calledPermissions finds d.api.Collection.Method in the code of this package.
func calledPermissions(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if method, ok := n.(*ast.SelectorExpr); ok {
				if collection, ok := method.X.(*ast.SelectorExpr); ok {
					if api, ok := collection.X.(*ast.SelectorExpr); ok && api.Sel.Name == "api" {
						verb := lower(method.Sel.Name)
						if other, ok := permissions[verb]; ok {
							verb = other
						}
						permission := "compute." + lower(collection.Sel.Name) + "." + verb
						for _, needed := range append(further[permission], permission) {
							called[needed] = true
						}
					}
				}
			}
			return true
		})
	}
	return called
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
