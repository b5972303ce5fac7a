package gce

import (
	"cmp"
	"context"
	"fmt"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

// newRoutes returns the routes of the network of the configuration, else of the machine this runs on, which is asked for it only
// where it is asked for something anyway.
func (d *Driver) newRoutes(ctx context.Context, file *config, cluster string, server token.Metadata) (*routes, error) {
	name, project := file.network, file.networkProject
	if name == "" {
		var err error
		if name, err = server.Text(ctx, "instance/network-interfaces/0/network"); err != nil {
			return nil, fmt.Errorf("reading the network from the metadata server (set [%s] network-name or %s): %w", section, envNetwork, err)
		}
	}
	if parts := networkURL.FindStringSubmatch(name); parts != nil && project == "" {
		project = parts[1]
	}
	r := &routes{Driver: d, cluster: cluster, network: last(name), given: cmp.Or(project, d.projects[0])}
	if projectNumber.MatchString(r.given) {
		return r, nil
	}
	if err := r.locate(ctx); err != nil { // an id costs nothing
		return nil, err
	}
	return r, nil
}

// networkURL is the end of the URL of a network; the metadata server leaves "global" out.
var networkURL = regexp.MustCompile(`(?:^|/)projects/([^/]+)/(?:global/)?networks/[^/]+$`)

// locate finds the id of the network's project, whose number is looked up when routes are first used: Nodes need no
// right in that project.
func (r *routes) locate(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.project != "" {
		return nil
	}
	project, err := r.projectID(ctx, r.given)
	if err != nil {
		return fmt.Errorf("finding the project of the network %s: %w", r.network, err)
	}
	r.project = project
	return nil
}

// path is that of the network in URLs.
func (r *routes) path() string { return "projects/" + r.project + "/global/networks/" + r.network }
