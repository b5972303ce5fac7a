// Package program is what the programs with Kubernetes' own end-to-end tests have in common: flags, the
// preparation of the suite, and the hooks of the runner that starts them.
//
// A program runs one spec with
//
//	suite -runner=http://127.0.0.1:8000 -kubeconfig=FILE -kubectl-path=FILE -spec='TEXT' -ginkgo.json-report=FILE
//
// and lists them with -ginkgo.dry-run in place of -spec: those whose state in the report is not "skipped". The full text
// of a spec is its ContainerHierarchyTexts and its LeafNodeText, joined with spaces. Ginkgo compares -ginkgo.focus with
// the description of the suite, a space and that text; -spec composes it.
//
// The runner answers these requests. An answer with another code than 2xx is a problem, and its body says which; the
// spec fails with it.
//
//	POST /specs/after          a spec has ended, and all that it made is gone or being deleted: {"namespace": its namespace}
//	POST /nodes/{name}/delete  delete the machine in the cloud and cut its power
package program
