# Google Cloud with the key of a service account in a Secret, where Google can't reach the cluster's issuer (else: ../gce).
# The key is in Terraform's state: keep that where only administrators read.
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
    google     = { source = "hashicorp/google" }
    helm       = { source = "hashicorp/helm" }
    kubernetes = { source = "hashicorp/kubernetes" }
  }
}

# The folder of a clone of multicloud-ccm, which has the roles.
variable "clone" { default = "../../../.." }

variable "project" { default = "my-project" }
variable "cluster_name" { default = "my-cluster" }

# What ids of the roles begin with: another one for each cluster of a project. It has no hyphens.
variable "role_prefix" { default = "my_cluster_ccm" }

resource "google_service_account" "ccm" {
  project      = var.project
  account_id   = "${var.cluster_name}-ccm"
  display_name = "Cloud controller manager of ${var.cluster_name}"
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
  member   = "serviceAccount:${google_service_account.ccm.email}"
}

resource "google_service_account_key" "ccm" {
  service_account_id = google_service_account.ccm.name
}

resource "kubernetes_secret_v1" "ccm" {
  metadata {
    name      = "gce-cloud-controller-manager"
    namespace = "kube-system"
  }
  data = { "credentials.json" = base64decode(google_service_account_key.ccm.private_key) }
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"
  depends_on = [google_project_iam_member.ccm, kubernetes_secret_v1.ccm]

  values = [yamlencode({
    provider    = "gce"
    clusterName = var.cluster_name
    platform    = "kubeadm"
    gce = {
      projectID   = var.project
      credentials = { keys = { json = "credentials.json" } }
      # network     = "my-network"
    }
    # controllers = { route = { enabled = true, clusterCIDR = "10.244.0.0/16" } }
  })]
}
