module github.com/multicloud-ccm/multicloud-ccm/test/upstream/aws

go 1.26.0

tool k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager

replace github.com/google/cel-go => github.com/cel-expr/cel-go v0.31.0
