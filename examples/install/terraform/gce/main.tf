# Google Cloud with workload identity federation: Google trusts tokens of the cluster's own service accounts. There is no key.
#
# Replaces: cloud-controller-manager, the upstream CCM of Google Cloud (cloud-provider-gcp).
# Take out: the DaemonSet kube-system/cloud-controller-manager, from its manifest deploy/packages/default or your own. Stop it, and
#   wait until its Pods are gone, before this one starts. Its gce.conf is gce.credentials.inline.cloudConf here. If it gave Nodes their pod
#   networks (nodeipam), let kube-controller-manager do that with --allocate-node-cidrs.
# Routes:   upstream makes them with --configure-cloud-routes. For them remove the "#" before "routes", network and
#   controllers below. Without them nobody makes routes for new Nodes. cluster_name has to be upstream's --cluster-name (kubernetes if
#   it had none): with another name each Node gets a second route.
# Before:   docs/how-to/migrate-gce.md on a cluster that runs. There are no load balancers on Google Cloud yet.

terraform {
  required_providers {
    google = { source = "hashicorp/google" }
    helm   = { source = "hashicorp/helm" }
  }
}

# The folder of a clone of multicloud-ccm, which has the roles.
variable "clone" { default = "../../../.." }

variable "project" { default = "my-project" }
variable "cluster_name" { default = "my-cluster" }

# What ids of the roles begin with: another one for each cluster of a project. It has no hyphens.
variable "role_prefix" { default = "my_cluster_ccm" }

variable "issuer" {
  type        = string
  default     = "https://oidc.example.com/my-cluster"
  description = "--service-account-issuer of the API server, which Google has to reach."
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

# What each is for: config/iam/README.md.
resource "google_project_iam_custom_role" "ccm" {
  for_each = toset([
    "nodes",
    # "routes",
  ])
  project     = var.project
  role_id     = "${var.role_prefix}_${each.value}"
  title       = "Cloud controller manager: ${each.value}"
  permissions = yamldecode(file("${var.clone}/config/iam/gce/${each.value}.yaml")).includedPermissions
}

resource "google_project_iam_member" "ccm" {
  for_each = google_project_iam_custom_role.ccm
  project  = var.project
  role     = each.value.id
  member   = "principal://iam.googleapis.com/${google_iam_workload_identity_pool.cluster.name}/subject/system:serviceaccount:kube-system:multicloud-ccm"
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
    gce = {
      projectID = var.project
      # network = "my-network"
      credentials = { inline = { json = jsonencode({
        type               = "external_account"
        audience           = "//iam.googleapis.com/${google_iam_workload_identity_pool_provider.cluster.name}"
        subject_token_type = "urn:ietf:params:oauth:token-type:jwt"
        token_url          = "https://sts.googleapis.com/v1/token"
        credential_source  = { file = "/var/run/secrets/google/token" }
      }) } }
    }
    # controllers = { route = { enabled = true, clusterCIDR = "10.244.0.0/16" } }
    extraVolumes = [{ name = "google-token", projected = { defaultMode = 288, sources = [{ serviceAccountToken = { # 0440
      audience          = "https://iam.googleapis.com/${google_iam_workload_identity_pool_provider.cluster.name}"
      expirationSeconds = 3600
      path              = "token"
    } }] } }]
    extraVolumeMounts = [{ name = "google-token", mountPath = "/var/run/secrets/google", readOnly = true }]
  })]
}
