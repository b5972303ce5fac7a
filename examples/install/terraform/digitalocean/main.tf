# DigitalOcean with a token in a Secret. The scopes that it needs: docs/providers/digitalocean.md#credentials.
# The token is in Terraform's state: keep that where only administrators read.
#
# Replaces: digitalocean-cloud-controller-manager, the upstream CCM of DigitalOcean.
# Take out: the Deployment kube-system/digitalocean-cloud-controller-manager, from its manifest
#   releases/digitalocean-cloud-controller-manager/<version>.yml. It takes no lease: stop it, and wait until its Pod is
#   gone, before this one starts. Its Secret digitalocean can stay as it is: then say existingSecret = "digitalocean", and take out
#   kubernetes_secret_v1 and var.token.
# Before:   docs/how-to/migrate-digitalocean.md on a cluster that runs. --cloud-provider=external of kubelets stays.

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

resource "kubernetes_secret_v1" "ccm" {
  metadata {
    name      = "digitalocean"
    namespace = "kube-system"
  }
  data = { "access-token" = var.token }
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"

  values = [yamlencode({
    provider     = "digitalocean"
    clusterName  = var.cluster_name
    platform     = "kubeadm"
    digitalocean = { credentials = { existingSecret = kubernetes_secret_v1.ccm.metadata[0].name } }
  })]
}
