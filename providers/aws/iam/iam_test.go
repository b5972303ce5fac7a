package iam

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// permitted are the actions of the policies, with the policies they are in.
func permitted() map[string][]string {
	all := map[string][]string{}
	for _, p := range Policies() {
		for _, s := range p.Statements {
			for _, action := range s.Actions {
				all[action] = append(all[action], p.Name)
			}
		}
	}
	return all
}

// The policies permit what is called, and nothing that is not.
func TestPoliciesAreWhatIsCalled(t *testing.T) {
	called := calledActions(t)
	if len(called) < 30 {
		t.Fatalf("only %d actions were found in the code", len(called))
	}
	// Needs no permission.
	delete(called, "sts:GetCallerIdentity")
	// The SDK calls it, of its own accord.
	called["sts:AssumeRole"] = true
	// AWS calls it, on behalf of who creates a balancer.
	called["iam:CreateServiceLinkedRole"] = true
	permitted := permitted()
	for _, action := range slices.Sorted(maps.Keys(called)) {
		if permitted[action] == nil {
			t.Errorf("%s is called, and no policy permits it", action)
		}
	}
	for _, action := range slices.Sorted(maps.Keys(permitted)) {
		if !called[action] {
			t.Errorf("%s is in %v, and nothing calls it", action, permitted[action])
		}
	}
}

// clientTypes are the clients, as types and as prefixes of actions.
var clientTypes = map[string]struct {
	action string
	kind   reflect.Type
}{
	"ec2.Client":                    {"ec2", reflect.TypeFor[*ec2.Client]()},
	"elasticloadbalancing.Client":   {"elasticloadbalancing", reflect.TypeFor[*elasticloadbalancing.Client]()},
	"elasticloadbalancingv2.Client": {"elasticloadbalancing", reflect.TypeFor[*elasticloadbalancingv2.Client]()},
	"sts.Client":                    {"sts", reflect.TypeFor[*sts.Client]()},
}

var paginator = regexp.MustCompile(`^New(\w+)Paginator$`)

// calledActions finds the operations that the packages of the driver call. It looks at names and
// not at types: an operation is a method of what a package declares as a client, which has to be a
// field or parameter, or it has a paginator.
func calledActions(t *testing.T) map[string]bool {
	t.Helper()
	called := map[string]bool{}
	for _, files := range sources(t) {
		clients := map[string]string{} // names of fields and parameters, to types
		for _, file := range files {
			findClients(t, file, clients)
		}
		for _, file := range files {
			maps.Copy(called, calls(file, clients))
		}
	}
	return called
}

// findClients adds what a file declares as a client.
func findClients(t *testing.T, file *ast.File, clients map[string]string) {
	imports := importNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			for _, name := range field.Names {
				if kind := clientType(field.Type, imports); kind != "" {
					if before, twice := clients[name.Name]; twice && before != kind {
						t.Errorf("%s is a client of %s and of %s", name.Name, before, kind)
					}
					clients[name.Name] = kind
				}
			}
		}
		return true
	})
}

// calls returns the actions a file calls with a client.
func calls(file *ast.File, clients map[string]string) map[string]bool {
	called, imports := map[string]bool{}, importNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on := lastName(selector.X)
		if kind, ok := clientTypes[clients[on]]; ok {
			if _, operation := kind.kind.MethodByName(selector.Sel.Name); operation && selector.Sel.Name != "Options" {
				called[kind.action+":"+selector.Sel.Name] = true
			}
		}
		if match := paginator.FindStringSubmatch(selector.Sel.Name); match != nil {
			called[clientTypes[imports[on]+".Client"].action+":"+match[1]] = true
		}
		return true
	})
	return called
}

// sources are the files of the driver by folder, without tests.
func sources(t *testing.T) map[string][]*ast.File {
	t.Helper()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// importNames are the packages a file imports, by the names it has for them.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range file.Imports {
		pkg := filepath.Base(strings.Trim(i.Path.Value, `"`))
		names[pkg] = pkg
		if i.Name != nil {
			names[i.Name.Name] = pkg
		}
	}
	return names
}

// clientType returns "ec2.Client" for *ec2.Client, "" for what is no client.
func clientType(e ast.Expr, imports map[string]string) string {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return ""
	}
	selector, ok := star.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	kind := imports[lastName(selector.X)] + "." + selector.Sel.Name
	if _, ok := clientTypes[kind]; !ok {
		return ""
	}
	return kind
}

// lastName returns "compute" for d.compute and for compute.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	default:
		return ""
	}
}

// Whatever changes something is limited to something: to the cluster's tag, to a VPC or to a kind
// of object.
func TestNothingMayBeChangedAnywhere(t *testing.T) {
	for _, p := range Policies() {
		if p.Doc == "" {
			t.Errorf("%s says not what it is for", p.Name)
		}
		for _, s := range p.Statements {
			for _, action := range s.Actions {
				_, operation, _ := strings.Cut(action, ":")
				if !strings.HasPrefix(operation, "Describe") && s.Condition == nil && slices.Contains(s.Resources, "*") {
					t.Errorf("%s: %s is permitted on everything", p.Name, action)
				}
				if strings.HasPrefix(operation, "Describe") && (s.Condition != nil || s.Resources[0] != "*") {
					t.Errorf("%s: %s cannot be narrowed down", p.Name, action)
				}
			}
		}
	}
}

// Volumes that are tagged with their instance rarely have the cluster's tag before.
func TestVolumesWithoutTagsMayBeTagged(t *testing.T) {
	permitted := map[string]bool{} // whatever the tags
	for _, p := range Policies() {
		for _, s := range p.Statements {
			for _, resource := range s.Resources {
				if p.Name == "tagging" && s.Condition == nil && slices.Contains(s.Actions, "ec2:CreateTags") {
					permitted[resource] = true
				}
			}
		}
	}
	if !permitted["arn:*:ec2:*:*:volume/*"] || len(permitted) != 1 {
		t.Errorf("without a tag %v may be tagged, want volumes", permitted)
	}
}
