package gce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/compute/v1"
	"google.golang.org/api/option"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

// Driver is the projects whose instances are nodes, seen with one account.
type Driver struct {
	api *compute.Service
	// projects are their ids. The first one is the project of the configuration.
	projects []string
	// ipv6First puts IPv6 addresses before IPv4 ones.
	ipv6First bool
}

var _ cloud.New = New

// New implements cloud.New. It reads the network for what the configuration leaves to the machine
// this runs on, and for the id of a project that is given by its number.
func New(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	driver, err := open(ctx, c)
	if err == nil {
		return driver, nil
	}
	if failure := (*Driver)(nil).Classify(err); failure.Class != cloud.FailureUnknown && failure.Class != cloud.FailureInvalid {
		err = &cloud.Error{Failure: failure, Op: "connecting", Err: err}
	}
	return nil, err
}

// open is New, with the errors of what it asks.
func open(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	file, environment, err := configure(c)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration of Google Cloud: %w", err)
	}
	server := token.Metadata{Transport: c.Transport, Host: environment.metadata}
	from, err := sourceOf(c, &file, environment.credentialsFile, server)
	if err != nil {
		return nil, err
	}
	_, document := from.(token.Document)
	onMachine := !document || cmp.Or(file.project, environment.project) == ""
	if onMachine {
		server.WarnOfProxy(http.ProxyFromEnvironment, c.Warn)
	}
	if file.endpoint == "" {
		if file.endpoint, err = endpoint(ctx, from); err != nil {
			return nil, err
		}
	}
	client := cloud.NewClient(token.NewTransport(c.Transport, from))
	d := &Driver{ipv6First: file.stackType == stackIPv6}
	if d.api, err = compute.NewService(ctx, option.WithHTTPClient(client), option.WithEndpoint(file.endpoint)); err != nil {
		return nil, fmt.Errorf("building the API client: %w", err)
	}
	d.api.UserAgent = c.UserAgent
	own, err := d.ownProject(ctx, cmp.Or(file.project, environment.project), server)
	if err != nil {
		return nil, err
	}
	d.projects = projectsOf(own, environment.nodeProjects, c.Warn)
	file.network = cmp.Or(file.network, environment.network)
	driver := &cloud.Driver{Account: d, Machines: cloud.MachineGroup{Instances: d, ProviderIDScope: d, Namer: d}}
	if file.secondaryRange != "" || file.network == "" && !onMachine {
		return driver, nil
	}
	r, err := d.newRoutes(ctx, &file, c.ClusterName, server)
	if err != nil {
		return nil, err
	}
	driver.Operations, driver.Routes = r, &cloud.RouteGroup{Routes: r}
	return driver, nil
}

// Check returns what is wrong with the file, the settings and the credentials in JSON.
func Check(c cloud.Config) error {
	_, _, err := configure(c)
	return err
}

// configure reads the file and the settings, and looks whether credentials in JSON are some.
func configure(c cloud.Config) (config, settings, error) {
	file, err := readConfig(c.File, c.Warn)
	environment, problem := readSettings(c.Lookup)
	var unreadable error
	if !file.alternate() {
		_, unreadable = document(c, environment.credentialsFile)
	}
	return file, environment, errors.Join(err, problem, unreadable)
}

// projectsOf are all projects, each of them once: an instance that is read twice looks like two. warn
// may be nil.
func projectsOf(own string, further []string, warn func(string)) []string {
	projects := []string{own}
	for _, id := range further {
		switch {
		case !slices.Contains(projects, id):
			projects = append(projects, id)
		case warn == nil:
		case id == own:
			warn(fmt.Sprintf("%s: %q is the own project, whose instances are nodes in any case: leave it out", envNodeProjects, id))
		default:
			warn(fmt.Sprintf("%s: %q is named more than once: name each project once", envNodeProjects, id))
		}
	}
	return projects
}

// sourceOf picks where tokens come from: token-url, else credentials in JSON, else the machine.
func sourceOf(c cloud.Config, file *config, path string, server token.Metadata) (token.Source, error) {
	if file.alternate() {
		request := func() (url, body string, err error) {
			file, err := readConfig(c.File, nil)
			return file.tokenURL, file.tokenBody, err
		}
		return token.Alternate{Request: request, Machine: token.Machine{Metadata: server}}, nil
	}
	read, err := document(c, path)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return token.Machine{Metadata: server}, nil
	}
	return token.Document{Read: read, Transport: c.Transport}, nil
}

// document returns what reads the credentials in JSON, nil where there are none.
func document(c cloud.Config, path string) (func() (string, error), error) {
	read := func() (string, error) { return c.Secret(envCredentials) }
	text, err := read()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", envCredentials, err)
	}
	if text == "" {
		if path == "" {
			return nil, nil //nolint:nilnil // those of the machine are used
		}
		read = func() (string, error) {
			content, err := os.ReadFile(path)
			return string(content), err
		}
		if text, err = read(); err != nil {
			return nil, fmt.Errorf("reading the file of %s: %w", envCredentialsFile, err)
		}
	}
	_, err = token.HeaderOf(text)
	return read, err
}

// defaultUniverse is Google's public cloud.
const defaultUniverse = "googleapis.com"

// endpoint is that of the universe that the credentials are valid in.
func endpoint(ctx context.Context, from token.Source) (string, error) {
	universe, err := from.Universe(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the domain of the API (set [%s] api-endpoint, or credentials, where there is no metadata server): %w", section, err)
	}
	universe = cmp.Or(universe, defaultUniverse)
	if !hostPort.MatchString(universe) || strings.Contains(universe, ":") {
		return "", &cloud.Invalid{Field: "universe domain of the credentials", Value: universe, Want: "want a domain such as " + defaultUniverse}
	}
	return "https://compute." + universe + "/compute/v1/", nil
}

// ownProject returns the id of the project of the configuration, else of the machine.
func (d *Driver) ownProject(ctx context.Context, configured string, server token.Metadata) (string, error) {
	if configured == "" {
		id, err := server.Text(ctx, "project/project-id")
		if err != nil {
			return "", fmt.Errorf("reading the project from the metadata server (set [%s] project-id or %s where there is none): %w", section, envProject, err)
		}
		configured = id
	}
	return d.projectID(ctx, configured)
}

// projectID returns the id of a project that is given by its id or number.
func (d *Driver) projectID(ctx context.Context, configured string) (string, error) {
	if projectNumber.MatchString(configured) {
		project, err := d.readProject(ctx, configured)
		if err != nil {
			return "", fmt.Errorf("looking up the id of the project: %w", err)
		}
		configured = project.Name
	}
	if !projectID.MatchString(configured) {
		return "", &cloud.Invalid{Field: "id of the project", Value: configured, Want: wantProject}
	}
	return configured, nil
}

// readProject reads a project by its id or number.
func (d *Driver) readProject(ctx context.Context, project string) (*compute.Project, error) {
	read, err := d.api.Projects.Get(project).Fields("id", "name").Context(ctx).Do()
	if err != nil {
		return nil, refused("reading the project "+project, err)
	}
	if read.Id == 0 || read.Name == "" {
		return nil, fmt.Errorf("reading the project %s: %w", project, cloud.ErrIncomplete)
	}
	return read, nil
}

// Identity implements cloud.Account: the number of the project, which it keeps for good.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	project, err := d.readProject(ctx, d.projects[0])
	if err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{Account: strconv.FormatUint(project.Id, 10)}, nil
}
