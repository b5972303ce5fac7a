package examples

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

func object(values map[string]cty.Value) cty.Value { return cty.ObjectVal(values) }

func cutData(kind string) (string, bool) { return strings.CutPrefix(kind, "data.") }

// functions are those of Terraform that examples call.
func functions(folder string) map[string]function.Function {
	return map[string]function.Function{
		"file": textFunction(func(path string) (string, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			content, err := os.ReadFile(path)
			return string(content), err
		}),
		"base64decode": textFunction(func(text string) (string, error) {
			content, err := base64.StdEncoding.DecodeString(text)
			return string(content), err
		}),
		"jsondecode": stdlib.JSONDecodeFunc,
		"jsonencode": stdlib.JSONEncodeFunc,
		"replace":    stdlib.ReplaceFunc,
		"toset":      stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"yamldecode": ctyyaml.YAMLDecodeFunc,
		"yamlencode": ctyyaml.YAMLEncodeFunc,
	}
}

func textFunction(call func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := call(args[0].AsString())
			return cty.StringVal(text), err
		},
	})
}

// each returns a context for each turn of for_each, or the one there is.
func each(body *hclsyntax.Body, context *hcl.EvalContext) ([]*hcl.EvalContext, error) {
	return turns(body, context, "each")
}

func turns(body *hclsyntax.Body, context *hcl.EvalContext, name string) ([]*hcl.EvalContext, error) {
	forEach := body.Attributes["for_each"]
	if forEach == nil {
		return []*hcl.EvalContext{context}, nil
	}
	all, diagnostics := forEach.Expr.Value(context)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	var contexts []*hcl.EvalContext
	for elements := all.ElementIterator(); elements.Next(); {
		key, value := elements.Element()
		child := context.NewChild()
		child.Variables = map[string]cty.Value{name: object(map[string]cty.Value{"key": key, "value": value})}
		contexts = append(contexts, child)
	}
	return contexts, nil
}

// attributes evaluates those of a body. Where some are allowed, no other one may be there.
func attributes(body *hclsyntax.Body, context *hcl.EvalContext, allowed []string) (map[string]cty.Value, error) {
	values := map[string]cty.Value{}
	for name, attribute := range body.Attributes {
		if allowed != nil && !slices.Contains(allowed, name) {
			return nil, fmt.Errorf("unknown attribute %s", name)
		}
		value, diagnostics := attribute.Expr.Value(context)
		if diagnostics.HasErrors() {
			return nil, diagnostics
		}
		values[name] = value
	}
	return values, nil
}

// instance is a resource with its attributes, blocks as lists, and what its provider sets.
func instance(declared resource, body *hclsyntax.Body, context *hcl.EvalContext) (cty.Value, error) {
	values, err := attributes(body, context, append([]string{"for_each", "depends_on"}, declared.attributes...))
	if err != nil {
		return cty.NilVal, err
	}
	lists := map[string][]cty.Value{}
	for _, block := range body.Blocks {
		name, found, err := blocksOf(block, context, declared.blocks)
		if err != nil {
			return cty.NilVal, err
		}
		lists[name] = append(lists[name], found...)
	}
	for name, list := range lists {
		values[name] = cty.TupleVal(list)
	}
	for name, text := range declared.computed {
		values[name] = cty.StringVal(text)
	}
	return object(values), nil
}

// blocksOf evaluates a block, or what a dynamic one makes.
func blocksOf(block *hclsyntax.Block, context *hcl.EvalContext, allowed map[string][]string) (string, []cty.Value, error) {
	name, body, contexts := block.Type, block.Body, []*hcl.EvalContext{context}
	if name == "dynamic" {
		var err error
		name = block.Labels[0]
		if contexts, err = turns(block.Body, context, name); err != nil {
			return name, nil, err
		}
		body = block.Body.Blocks[0].Body
	}
	keys, ok := allowed[name]
	if !ok || len(body.Blocks) > 0 {
		return name, nil, fmt.Errorf("unknown block %s", name)
	}
	var found []cty.Value
	for _, context := range contexts {
		values, err := attributes(body, context, keys)
		if err != nil {
			return name, nil, fmt.Errorf("block %s: %w", name, err)
		}
		found = append(found, object(values))
	}
	return name, found, nil
}
