# AWS with a role of the service account (IRSA), on a cluster of your own on EC2 whose API server issues tokens of var.issuer.
#
# Replaces: aws-cloud-controller-manager, the upstream CCM of AWS.
# Take out: the helm_release with chart = "aws-cloud-controller-manager", or the DaemonSet kube-system/aws-cloud-controller-manager.
#   Its --cluster-name is cluster_name here, and the id in the tags is cluster_id: docs/providers/aws.md#three-ids. Its cloud.conf is
#   aws.credentials.inline.cloudConf. The two CCMs share a lease; where upstream runs with --leader-elect=false, wait until its Pods are
#   gone before this one starts.
# Before:   docs/how-to/migrate-aws.md on a cluster that runs. --cloud-provider=external of kubelets stays.

terraform {
  required_providers {
    aws  = { source = "hashicorp/aws" }
    helm = { source = "hashicorp/helm" }
  }
}

# The folder of a clone of multicloud-ccm, which has the policies.
variable "clone" { default = "../../../.." }

variable "cluster_name" {
  type        = string
  default     = "my-cluster"
  description = "Upstream's --cluster-name, kubernetes if it had none. On a new cluster the same as cluster_id."
}

variable "cluster_id" {
  type        = string
  default     = "my-cluster"
  description = "The id in the tags kubernetes.io/cluster/<id>."
}

variable "region" { default = "eu-central-1" }

variable "issuer" {
  type        = string
  default     = "oidc.example.com/my-cluster"
  description = "--service-account-issuer of the API server, without https://."
}

data "aws_iam_openid_connect_provider" "cluster" {
  url = "https://${var.issuer}"
}

resource "aws_iam_role" "ccm" {
  name = "${var.cluster_id}-ccm"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Federated = data.aws_iam_openid_connect_provider.cluster.arn }
      Action    = "sts:AssumeRoleWithWebIdentity"
      Condition = { StringEquals = {
        "${var.issuer}:aud" = "sts.amazonaws.com"
        "${var.issuer}:sub" = "system:serviceaccount:kube-system:multicloud-ccm"
      } }
    }]
  })
}

# What each is for: config/iam/README.md. With routes also "routes", which has VPC_ID besides CLUSTER_ID.
resource "aws_iam_role_policy" "ccm" {
  for_each = toset(["nodes", "security-groups", "classic-balancers", "network-balancers", "first-balancer"])
  name     = each.value
  role     = aws_iam_role.ccm.name
  policy   = replace(file("${var.clone}/config/iam/${each.value}.json"), "CLUSTER_ID", var.cluster_id)
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"
  depends_on = [aws_iam_role_policy.ccm]

  # The token is mounted here, because the pod identity webhook can't run before Nodes are initialised.
  values = [yamlencode({
    provider    = "aws"
    clusterName = var.cluster_name
    clusterID   = var.cluster_id
    platform    = "kubeadm"
    aws         = { region = var.region }
    extraEnv = [
      { name = "AWS_ROLE_ARN", value = aws_iam_role.ccm.arn },
      { name = "AWS_WEB_IDENTITY_TOKEN_FILE", value = "/var/run/secrets/aws/token" },
    ]
    extraVolumes = [{
      name = "aws-token"
      projected = {
        defaultMode = 288 # 0440
        sources     = [{ serviceAccountToken = { audience = "sts.amazonaws.com", expirationSeconds = 86400, path = "token" } }]
      }
    }]
    extraVolumeMounts = [{ name = "aws-token", mountPath = "/var/run/secrets/aws", readOnly = true }]
  })]
}
