package examples

// resource is what its provider documents of a resource or data source of Terraform, as far as examples need it.
type resource struct {
	attributes []string
	blocks     map[string][]string
	// computed are the attributes that the provider sets, with one that could be.
	computed map[string]string
}

var resources = map[string]resource{
	"helm_release":         {attributes: []string{"name", "namespace", "repository", "chart", "version", "values"}},
	"kubernetes_secret_v1": {attributes: []string{"data"}, blocks: map[string][]string{"metadata": {"name", "namespace"}}},
	"data.aws_iam_openid_connect_provider": {
		attributes: []string{"url"},
		computed:   map[string]string{"arn": "arn:aws:iam::123456789012:oidc-provider/oidc.example.com/my-cluster"},
	},
	"aws_iam_role": {
		attributes: []string{"name", "assume_role_policy"},
		computed:   map[string]string{"arn": "arn:aws:iam::123456789012:role/my-cluster-ccm"},
	},
	"aws_iam_role_policy": {attributes: []string{"name", "role", "policy"}},
	"google_iam_workload_identity_pool": {
		attributes: []string{"project", "workload_identity_pool_id"},
		computed:   map[string]string{"name": pool},
	},
	"google_iam_workload_identity_pool_provider": {
		attributes: []string{"project", "workload_identity_pool_id", "workload_identity_pool_provider_id", "attribute_mapping"},
		blocks:     map[string][]string{"oidc": {"issuer_uri"}},
		computed:   map[string]string{"name": pool + "/providers/kubernetes"},
	},
	"google_project_iam_custom_role": {
		attributes: []string{"project", "role_id", "title", "permissions"},
		computed:   map[string]string{"id": "projects/my-project/roles/my_cluster_ccm_nodes"},
	},
	"google_project_iam_member": {attributes: []string{"project", "role", "member"}},
	"google_service_account": {
		attributes: []string{"project", "account_id", "display_name"},
		computed: map[string]string{
			"email": "my-cluster-ccm@my-project.iam.gserviceaccount.com",
			"name":  "projects/my-project/serviceAccounts/my-cluster-ccm@my-project.iam.gserviceaccount.com",
		},
	},
	"google_service_account_key": {
		attributes: []string{"service_account_id"},
		computed:   map[string]string{"private_key": "e30="},
	},
	"openstack_identity_application_credential_v3": {
		attributes: []string{"name", "description"},
		blocks:     map[string][]string{"access_rules": {"service", "method", "path"}},
		computed:   map[string]string{"id": "5d1fa1c1a2b94f6b8e9b3a8f8a4d6a3c", "secret": "a # secret"},
	},
}

const pool = "projects/123456789012/locations/global/workloadIdentityPools/my-cluster"

// sources are Terraform's providers, by the first word of their resources.
var sources = map[string]string{
	"aws": "hashicorp/aws", "google": "hashicorp/google", "helm": "hashicorp/helm",
	"kubernetes": "hashicorp/kubernetes", "openstack": "terraform-provider-openstack/openstack",
}
