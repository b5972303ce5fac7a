# OpenStack with an application credential that may send the CCM's requests only.
# The credential is in Terraform's state: keep that where only administrators read.
#
# Replaces: openstack-cloud-controller-manager, the upstream CCM of OpenStack.
# Take out: the helm_release with chart = "openstack-cloud-controller-manager", or the DaemonSet of that name in kube-system. Its
#   Secret cloud-config goes with it: this one is another. Its value cluster.name (--cluster-name) is clusterName here.
#   The two CCMs share a lease; where upstream runs with --leader-elect=false, wait until its Pods are gone before this one starts.
# Before:   docs/how-to/migrate-openstack.md on a cluster that runs. --cloud-provider=external of kubelets stays.

terraform {
  required_providers {
    helm       = { source = "hashicorp/helm" }
    kubernetes = { source = "hashicorp/kubernetes" }
    openstack  = { source = "terraform-provider-openstack/openstack" }
  }
}

# The folder of a clone of multicloud-ccm, which has the access rules.
variable "clone" { default = "../../../.." }

variable "cluster_name" {
  type    = string
  default = "my-cluster"
}

variable "auth_url" {
  type    = string
  default = "https://keystone.example.com:5000/v3"
}

variable "region" {
  type    = string
  default = "RegionOne"
}

# It is for the project that Terraform's user is logged in to. It gets all roles which that user has in the project.
resource "openstack_identity_application_credential_v3" "ccm" {
  name        = "${var.cluster_name}-ccm"
  description = "Cloud controller manager"

  dynamic "access_rules" {
    for_each = jsondecode(file("${var.clone}/config/samples/openstack/access-rules.json"))
    content {
      service = access_rules.value.service
      method  = access_rules.value.method
      path    = access_rules.value.path
    }
  }
}

resource "kubernetes_secret_v1" "ccm" {
  metadata {
    name      = "openstack"
    namespace = "kube-system"
  }
  data = { "cloud.conf" = <<-EOT
    [Global]
    auth-url = ${var.auth_url}
    region = ${var.region}
    application-credential-id = ${openstack_identity_application_credential_v3.ccm.id}
    application-credential-secret = "${openstack_identity_application_credential_v3.ccm.secret}"
    [LoadBalancer]
    create-monitor = true
    EOT
  }
}

resource "helm_release" "ccm" {
  name       = "multicloud-ccm"
  namespace  = "kube-system"
  repository = "oci://ghcr.io/multicloud-ccm/charts"
  chart      = "multicloud-ccm"
  version    = "0.1.0"

  values = [yamlencode({
    provider    = "openstack"
    clusterName = var.cluster_name
    platform    = "kubeadm"
    openstack   = { credentials = { existingSecret = kubernetes_secret_v1.ccm.metadata[0].name } }
  })]
}
