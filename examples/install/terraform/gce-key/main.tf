# Google Cloud with the key of a service account in a Secret, where Google can't reach the cluster's issuer (else: ../gce).
# The key is in Terraform's state: keep that where only administrators read.
#
# Replaces: cloud-controller-manager, the upstream CCM of Google Cloud (cloud-provider-gcp).
# Take out: the DaemonSet kube-system/cloud-controller-manager, from its manifest deploy/packages/default or your own. Its gce.conf is
#   gce.credentials.inline.cloudConf here. What its nodeipam did, kube-controller-manager does with --allocate-node-cidrs.
# Before:   docs/how-to/migrate-gce.md. There are no load balancers on Google Cloud yet.

terraform {
  required_providers {
    google     = { source = "hashicorp/google" }
    helm       = { source = "hashicorp/helm" }
    kubernetes = { source = "hashicorp/kubernetes" }
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

resource "google_service_account" "ccm" {
  project      = var.project
  account_id   = "${var.cluster_name}-ccm"
  display_name = "Cloud controller manager of ${var.cluster_name}"
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
  member  = "serviceAccount:${google_service_account.ccm.email}"
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
    }
  })]
}
