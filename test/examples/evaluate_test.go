package examples

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// module is a folder of Terraform, evaluated as far as it can be without its providers. Resources may refer to what
// stands above them.
type module struct {
	required  map[string]string
	resources map[string][]cty.Value
	context   *hcl.EvalContext
	// given are variables of the command line.
	given map[string]string
	// named are all resources by kind and name, as expressions see them; those of data sources begin with "data.".
	named map[string]map[string]cty.Value
}

// evaluate reads a main.tf as if Terraform ran in the folder.
func evaluate(folder string, content []byte, given map[string]string) (*module, error) {
	file, diagnostics := hclsyntax.ParseConfig(content, "main.tf", hcl.InitialPos)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	m := &module{required: map[string]string{}, resources: map[string][]cty.Value{}, named: map[string]map[string]cty.Value{}, given: given}
	m.context = &hcl.EvalContext{Functions: functions(folder), Variables: map[string]cty.Value{"var": cty.EmptyObjectVal}}
	body := file.Body.(*hclsyntax.Body)
	if len(body.Attributes) > 0 {
		return nil, errors.New("attributes outside of blocks")
	}
	for _, block := range body.Blocks {
		if err := m.add(block); err != nil {
			return nil, fmt.Errorf("%s %v: %w", block.Type, block.Labels, err)
		}
	}
	return m, nil
}

func (m *module) add(block *hclsyntax.Block) error {
	switch {
	case block.Type == "terraform" && len(block.Labels) == 0:
		return m.require(block.Body)
	case block.Type == "variable" && len(block.Labels) == 1:
		return m.variable(block.Labels[0], block.Body)
	case block.Type == "resource" && len(block.Labels) == 2:
		return m.resource(block.Labels[0], block.Labels[1], block.Body)
	case block.Type == "data" && len(block.Labels) == 2:
		return m.resource("data."+block.Labels[0], block.Labels[1], block.Body)
	}
	return errors.New("unknown block")
}

func (m *module) require(body *hclsyntax.Body) error {
	for _, block := range body.Blocks {
		providers, err := attributes(block.Body, m.context, nil)
		if err != nil || block.Type != "required_providers" {
			return fmt.Errorf("reading %s: %w", block.Type, err)
		}
		for name, provider := range providers {
			m.required[name] = provider.GetAttr("source").AsString()
		}
	}
	return nil
}

// variable has its default, or what could be given.
func (m *module) variable(name string, body *hclsyntax.Body) error {
	for attribute, value := range body.Attributes {
		if !slices.Contains([]string{"type", "default", "description", "sensitive"}, attribute) {
			return fmt.Errorf("unknown attribute %s", attribute)
		}
		if attribute == "type" && hcl.ExprAsKeyword(value.Expr) != "string" {
			return errors.New("the type is no string")
		}
	}
	value := cty.StringVal("given")
	if given := body.Attributes["default"]; given != nil {
		var diagnostics hcl.Diagnostics
		if value, diagnostics = given.Expr.Value(m.context); diagnostics.HasErrors() {
			return diagnostics
		}
	}
	if text, ok := m.given[name]; ok {
		value = cty.StringVal(text)
	}
	all := m.context.Variables["var"].AsValueMap()
	if all == nil {
		all = map[string]cty.Value{}
	}
	all[name] = value
	m.context.Variables["var"] = object(all)
	return nil
}

func (m *module) resource(kind, name string, body *hclsyntax.Body) error {
	declared, ok := resources[kind]
	if !ok {
		return errors.New("resources_test.go does not know it")
	}
	turns, err := each(body, m.context)
	if err != nil {
		return err
	}
	instances := map[string]cty.Value{}
	for _, context := range turns {
		value, err := instance(declared, body, context)
		if err != nil {
			return err
		}
		m.resources[kind] = append(m.resources[kind], value)
		if body.Attributes["for_each"] == nil {
			m.publish(kind, name, value)
			return nil
		}
		instances[context.Variables["each"].GetAttr("key").AsString()] = value
	}
	m.publish(kind, name, object(instances))
	return nil
}

// publish lets what stands below refer to a resource.
func (m *module) publish(kind, name string, value cty.Value) {
	if m.named[kind] == nil {
		m.named[kind] = map[string]cty.Value{}
	}
	m.named[kind][name] = value
	if source, ok := cutData(kind); ok {
		m.context.Variables["data"] = object(map[string]cty.Value{source: object(m.named[kind])})
		return
	}
	m.context.Variables[kind] = object(m.named[kind])
}
