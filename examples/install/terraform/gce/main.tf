# Google Cloud with workload identity federation: Google trusts tokens of the cluster's own service accounts. There is no key.
#
# Replaces: cloud-controller-manager, the upstream CCM of Google Cloud (cloud-provider-gcp).
# Take out: the DaemonSet kube-system/cloud-controller-manager, from its manifest deploy/packages/default or your own. Its gce.conf is
#   gce.credentials.inline.cloudConf here. What its nodeipam did, kube-controller-manager does with --allocate-node-cidrs.
# Before:   docs/how-to/migrate-gce.md. There are no load balancers on Google Cloud yet.

terraform {
  required_providers {
    google = { source = "hashicorp/google" }
    helm   = { source = "hashicorp/helm" }
  }
}

variable "project" {
  type    = string
  default = "my-project"
}

variable "cluster_name" {
  type    = string
  default = "my-cluster"
}

variable "issuer" {
  type        = string
  default     = "https://oidc.example.com/my-cluster"
  description = "--service-account-issuer of the API server, which Google has to reach."
}

locals {
  account = "system:serviceaccount:kube-system:multicloud-ccm"
}

resource "google_iam_workload_identity_pool" "cluster" {
  project                   = var.project
  workload_identity_pool_id = var.cluster_name
}

resource "google_iam_workload_identity_pool_provider" "cluster" {
  project                            = var.project
  workload_identity_pool_id          = google_iam_workload_identity_pool.cluster.workload_identity_pool_id
  workload_identity_pool_provider_id = "kubernetes"
  attribute_mapping                  = { "google.subject" = "assertion.sub" }
  oidc { issuer_uri = var.issuer }
}

resource "google_project_iam_custom_role" "nodes" {
  project     = var.project
  role_id     = "ccmNodes"
  title       = "Cloud controller manager: nodes"
  permissions = yamldecode(file("${path.module}/../../../../config/iam/gce/nodes.yaml")).includedPermissions
}

resource "google_project_iam_member" "ccm" {
  project = var.project
  role    = google_project_iam_custom_role.nodes.id
  member  = "principal://iam.googleapis.com/${google_iam_workload_identity_pool.cluster.name}/subject/${local.account}"
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"
  depends_on = [google_project_iam_member.ccm]

  values = [yamlencode({
    provider    = "gce"
    clusterName = var.cluster_name
    platform    = "kubeadm"
    gce = { projectID = var.project, credentials = { inline = { json = jsonencode({
      type               = "external_account"
      audience           = "//iam.googleapis.com/${google_iam_workload_identity_pool_provider.cluster.name}"
      subject_token_type = "urn:ietf:params:oauth:token-type:jwt"
      token_url          = "https://sts.googleapis.com/v1/token"
      credential_source  = { file = "/var/run/secrets/google/token" }
    }) } } }
    extraVolumes = [{ name = "google-token", projected = { defaultMode = 288, sources = [{ serviceAccountToken = { # 0440
      audience          = "https://iam.googleapis.com/${google_iam_workload_identity_pool_provider.cluster.name}"
      expirationSeconds = 3600
      path              = "token"
    } }] } }]
    extraVolumeMounts = [{ name = "google-token", mountPath = "/var/run/secrets/google", readOnly = true }]
  })]
}
