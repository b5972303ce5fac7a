# Hetzner with a token of the project in a Secret, and load balancers in one location.
# The token is in Terraform's state: keep that where only administrators read.
#
# Replaces: hcloud-cloud-controller-manager, the upstream CCM of Hetzner.
# Take out: the helm_release with chart = "hcloud-cloud-controller-manager", or the Deployment of that name in kube-system. Two
#   CCMs at a time overwrite each other: stop that one, and wait until its Pods are gone, before this one starts. So it takes an apply of
#   its own. Its values env.HCLOUD_LOAD_BALANCERS_… are hcloud.loadBalancers.… here, networking.… is hcloud.credentials.keys.network and
#   controllers.route. Its Secret hcloud, whose key network this one lacks, can stay as it is: then say existingSecret = "hcloud", and
#   take out kubernetes_secret_v1 and var.token.
# Before:   docs/how-to/migrate-hcloud.md on a cluster that runs. --cloud-provider=external of kubelets stays.

terraform {
  required_providers {
    helm       = { source = "hashicorp/helm" }
    kubernetes = { source = "hashicorp/kubernetes" }
  }
}

variable "cluster_name" {
  type    = string
  default = "my-cluster"
}

variable "token" {
  type      = string
  sensitive = true
}

variable "location" {
  type    = string
  default = "fsn1"
}

resource "kubernetes_secret_v1" "ccm" {
  metadata {
    name      = "hcloud"
    namespace = "kube-system"
  }
  data = { token = var.token }
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"

  values = [yamlencode({
    provider    = "hcloud"
    clusterName = var.cluster_name
    platform    = "kubeadm"
    hcloud = {
      credentials   = { existingSecret = kubernetes_secret_v1.ccm.metadata[0].name }
      loadBalancers = { location = var.location }
    }
  })]
}
