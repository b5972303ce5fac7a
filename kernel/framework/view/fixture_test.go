package view

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
)

var (
	node           = frameworktest.Node
	withTaint      = frameworktest.WithTaint
	withReady      = frameworktest.WithReady
	withIP         = frameworktest.WithIP
	withLabel      = frameworktest.WithLabel
	service        = frameworktest.Service
	withType       = frameworktest.WithType
	withFinalizer  = frameworktest.WithFinalizer
	withAnnotation = frameworktest.WithAnnotation
	cluster        = frameworktest.Cluster
	put            = frameworktest.Put
)

type log = frameworktest.Log

const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

func withClass(class string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.LoadBalancerClass = &class }
}

// handler writes down what it is told of.
func handler(l *log) cache.ResourceEventHandler {
	name := func(obj any) string {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		return key
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { l.Add("add " + name(obj)) },
		UpdateFunc: func(_, obj any) { l.Add("update " + name(obj)) },
		DeleteFunc: func(obj any) { l.Add("delete " + name(obj)) },
	}
}
