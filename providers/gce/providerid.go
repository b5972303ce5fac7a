package gce

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Names of the API, which become part of URLs.
var (
	zoneName     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	resourceName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
)

// ParseProviderID implements cloud.Instances: "gce://<project>/<zone>/<name>".
func (d *Driver) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	project, zone, name, ok := split(providerID)
	if !ok {
		return "", fmt.Errorf("provider-ID %q: want %s://<project>/<zone>/<instance name>", providerID, scheme)
	}
	if !d.ours(project) {
		return "", fmt.Errorf("provider-ID %q: its project is %q, and nodes are in %q", providerID, project, d.projects)
	}
	return d.id(project, zone, name), nil
}

// Concerns implements cloud.ProviderIDScope. Instances of another project are "not found" in ours.
//
//	provider-ID                       ours
//	gce://<another project>/a/b       no, malformed behind it or not
//	gce://…, anything else            yes, malformed or not
//	anything else                     no
func (d *Driver) Concerns(providerID string) bool {
	rest, ok := strings.CutPrefix(providerID, scheme+"://")
	parts := strings.Split(rest, "/")
	whole := len(parts) >= 3 && !slices.Contains(parts, "")
	return ok && (!whole || !projectID.MatchString(parts[0]) || d.ours(parts[0]))
}

// split returns the parts of a provider-ID.
func split(providerID string) (project, zone, name string, ok bool) {
	rest, ok := strings.CutPrefix(providerID, scheme+"://")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || !projectID.MatchString(parts[0]) || !zoneName.MatchString(parts[1]) || !resourceName.MatchString(parts[2]) {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

func (d *Driver) ours(project string) bool { return slices.Contains(d.projects, project) }

// id is "<zone>/<name>", and "<project>/<zone>/<name>" of a further project.
func (d *Driver) id(project, zone, name string) cloud.InstanceID {
	if project == d.projects[0] {
		return cloud.InstanceID(zone + "/" + name)
	}
	return cloud.InstanceID(project + "/" + zone + "/" + name)
}

// where returns what an id is made of.
func (d *Driver) where(id cloud.InstanceID) (project, zone, name string, err error) {
	text := string(id)
	if strings.Count(text, "/") == 1 {
		text = d.projects[0] + "/" + text
	}
	project, zone, name, ok := split(scheme + "://" + text)
	if !ok || !d.ours(project) {
		return "", "", "", fmt.Errorf("instance %q: want <zone>/<name>", id)
	}
	return project, zone, name, nil
}

// internalName is an instance's name in Google's DNS, with its zone in newer projects. The domain of
// a project with one stands behind its id there.
var internalName = regexp.MustCompile(`^([a-z0-9-]+)\.(?:([a-z0-9-]+)\.)?c\.([a-z0-9.-]+)\.internal$`)

// hostname returns what the name of a Node says: the name of the instance up to the first dot and,
// where it is one of Google's DNS, its project, and its zone or "". The project is "" where the name
// leaves it open, and ok is false where it is none of ours.
func (d *Driver) hostname(node string) (project, zone, name string, ok bool) {
	name, _, _ = strings.Cut(node, ".")
	parts := internalName.FindStringSubmatch(node)
	if parts == nil {
		return "", "", name, true
	}
	for _, project := range d.projects {
		id := project
		if domain, short, cut := strings.Cut(project, ":"); cut {
			id = short + "." + domain
		}
		if id == parts[3] {
			return project, parts[2], name, true
		}
	}
	return "", "", name, false
}

// NameID implements cloud.Namer: a name of Google's DNS with a zone names one instance.
func (d *Driver) NameID(node string) cloud.InstanceID {
	project, zone, name, ok := d.hostname(node)
	if !ok || zone == "" || !zoneName.MatchString(zone) || !resourceName.MatchString(name) {
		return ""
	}
	return d.id(project, zone, name)
}
