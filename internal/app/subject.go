package app

import "strings"

// scopeNode is a Node as the subject of `explain`.
const scopeNode = "node"

// subjects are the words that kubectl has for what a sub-command can be about.
var subjects = map[string]string{
	"service": scopeService, "services": scopeService, "svc": scopeService,
	"node": scopeNode, "nodes": scopeNode, "no": scopeNode,
}

// subjectArgs returns arguments that name an object as kubectl takes them in the one form of this program:
//
//	given               returned
//	svc web             service web
//	service/web         service web
//	services/shop/web   service shop/web
//	no/worker-1         node worker-1
//	anything else       as it is
func subjectArgs(args []string) []string {
	if len(args) == 0 {
		return args
	}
	word, name, joined := strings.Cut(args[0], "/")
	subject, known := subjects[word]
	switch {
	case !known:
		return args
	case joined:
		return append([]string{subject, name}, args[1:]...)
	}
	return append([]string{subject}, args[1:]...)
}
