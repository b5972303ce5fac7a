package gce

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// metadataRoutes adds the metadata server, for clients with GCE_METADATA_HOST. It speaks for the
// machine that SetMachine names.
func (s *Server) metadataRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /computeMetadata/v1/{path...}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Metadata-Flavor", "Google")
		w.Header().Set("Server", "Metadata Server for VM")
		if r.Header.Get("Metadata-Flavor") != "Google" {
			http.Error(w, "Missing required header \"Metadata-Flavor\": \"Google\"", http.StatusForbidden)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		path := strings.TrimSuffix(r.PathValue("path"), "/")
		if path == "instance/service-accounts/default/token" {
			value, _ := s.issue(s.machineAccount())
			wire.JSON(w, http.StatusOK, map[string]any{"access_token": value, "expires_in": int(s.options.TokenLife.Seconds()) - 1, "token_type": "Bearer"})
			return
		}
		value, ok := s.metadata(path)
		if !ok {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/text")
		_, _ = w.Write([]byte(value)) // the front buffers: it can't fail
	})
}

// machineName is the machine that the metadata server speaks for.
const machineName = "control-plane-0"

func (s *Server) machineAccount() *account {
	return s.accounts["admin@"+s.options.Project+".iam.gserviceaccount.com"]
}

// metadata answers the paths that the client library and upstream's CCM ask for.
func (s *Server) metadata(path string) (string, bool) {
	project := s.store.projects[s.options.Project]
	value, ok := map[string]string{
		"project/project-id":                       project.id,
		"project/numeric-project-id":               project.number,
		"instance/id":                              "3000000000000000001",
		"instance/name":                            machineName,
		"instance/hostname":                        machineName + "." + s.options.Zone + ".c." + project.id + ".internal",
		"instance/zone":                            "projects/" + project.number + "/zones/" + s.options.Zone,
		"instance/network-interfaces/0/network":    cmp.Or(s.options.MachineNetwork, "projects/"+project.number+"/networks/default"),
		"instance/network-interfaces/0/ip":         "10.128.0.2",
		"instance/service-accounts/default/email":  s.machineAccount().email,
		"instance/service-accounts/default/scopes": "https://www.googleapis.com/auth/cloud-platform",
		"universe/universe-domain":                 "googleapis.com",
		"instance/service-accounts":                "default/",
	}[path]
	return value, ok
}
