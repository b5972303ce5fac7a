package examples

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The documented keys of what has no type that could be had, as far as examples need them.

// helmChartProxy is that of Cluster API's add-on provider for helm, addons.cluster.x-k8s.io/v1alpha1.
type helmChartProxy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterSelector metav1.LabelSelector `json:"clusterSelector"`
		RepoURL         string               `json:"repoURL"`
		ChartName       string               `json:"chartName"`
		Version         string               `json:"version"`
		ReleaseName     string               `json:"releaseName"`
		Namespace       string               `json:"namespace"`
		ValuesTemplate  string               `json:"valuesTemplate"`
	} `json:"spec"`
}

// kopsCluster is kOps' Cluster, kops.k8s.io/v1alpha2: these lines are merged into one.
type kopsCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		CloudControllerManager struct {
			Controllers []string `json:"controllers"`
		} `json:"cloudControllerManager"`
		Addons []struct {
			Manifest string `json:"manifest"`
		} `json:"addons"`
		AdditionalPolicies map[string]string `json:"additionalPolicies"`
	} `json:"spec"`
}

// kopsAddons is what a manifest of kopsCluster's addons is.
type kopsAddons struct {
	Kind              string `json:"kind"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Addons []struct {
			Name     string            `json:"name"`
			Version  string            `json:"version"`
			Selector map[string]string `json:"selector"`
			Manifest string            `json:"manifest"`
		} `json:"addons"`
	} `json:"spec"`
}

// talosPatch is a patch of Talos' machine configuration, v1alpha1.
type talosPatch struct {
	Cluster struct {
		InlineManifests []struct {
			Name     string `json:"name"`
			Contents string `json:"contents"`
		} `json:"inlineManifests"`
	} `json:"cluster"`
}

// application is Argo CD's, argoproj.io/v1alpha1.
type application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Project     string `json:"project"`
		Destination struct {
			Server    string `json:"server"`
			Namespace string `json:"namespace"`
		} `json:"destination"`
		Source struct {
			RepoURL        string `json:"repoURL"`
			Chart          string `json:"chart"`
			TargetRevision string `json:"targetRevision"`
			Helm           struct {
				ReleaseName  string         `json:"releaseName"`
				ValuesObject map[string]any `json:"valuesObject"`
			} `json:"helm"`
		} `json:"source"`
		SyncPolicy struct {
			Automated struct {
				SelfHeal bool `json:"selfHeal"`
			} `json:"automated"`
		} `json:"syncPolicy"`
	} `json:"spec"`
}
