# AWS with a role of the service account (IRSA), on a cluster of your own on EC2 whose API server issues tokens of var.issuer.
#
# Replaces: aws-cloud-controller-manager, the upstream CCM of AWS.
# Take out: the helm_release with chart = "aws-cloud-controller-manager", or the DaemonSet kube-system/aws-cloud-controller-manager.
#   Its --cluster-name is clusterName here, its cloud.conf aws.credentials.inline.cloudConf.
# Before:   docs/how-to/migrate-aws.md on a cluster with load balancers. --cloud-provider=external of kubelets stays.

terraform {
  required_providers {
    aws  = { source = "hashicorp/aws" }
    helm = { source = "hashicorp/helm" }
  }
}

variable "cluster_name" {
  type        = string
  default     = "my-cluster"
  description = "The id in the tags kubernetes.io/cluster/<id>."
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

variable "issuer" {
  type        = string
  default     = "oidc.example.com/my-cluster"
  description = "--service-account-issuer of the API server, without https://."
}

data "aws_iam_openid_connect_provider" "cluster" {
  url = "https://${var.issuer}"
}

resource "aws_iam_role" "ccm" {
  name = "${var.cluster_name}-ccm"
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

# What each is for: config/iam/README.md. "routes" needs the id of the VPC too.
resource "aws_iam_role_policy" "ccm" {
  for_each = toset(["nodes", "security-groups", "classic-balancers", "network-balancers"])
  name     = each.value
  role     = aws_iam_role.ccm.name
  policy   = replace(file("${path.module}/../../../../config/iam/${each.value}.json"), "CLUSTER_ID", var.cluster_name)
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
