package gce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"google.golang.org/api/compute/v1"
	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// fields are what makes an Instance. An instance as a whole is many times as large: its metadata
// alone may be 256 KiB.
const fields = "name,zone,machineType,status,networkInterfaces(networkIP,ipv6Address,ipv6AccessType,accessConfigs/natIP,ipv6AccessConfigs/externalIpv6)"

// listFields are what is read of a list over all zones.
const listFields = "kind,nextPageToken,warning/code,unreachables,items/*/warning/code,items/*/instances(" + fields + ")"

// kindList is what such a list calls itself.
const kindList = "compute#instanceAggregatedList"

// List implements cloud.Instances. A further project that the account may not read makes the list
// incomplete: the instances of the others are still found.
func (d *Driver) List(ctx context.Context) (cloud.InstanceList, error) {
	all := cloud.InstanceList{Complete: true}
	for _, project := range d.projects {
		found, complete, err := d.search(ctx, project, "")
		if err != nil && d.closed(project, err) == nil {
			return cloud.InstanceList{}, err
		}
		all.Items, all.Complete = append(all.Items, found...), all.Complete && complete && err == nil
	}
	return all, nil
}

// search reads the instances of all zones of a project, those of that name only if it is not "".
func (d *Driver) search(ctx context.Context, project, name string) (found []cloud.Instance, complete bool, err error) {
	doing := "listing the instances of the project " + project
	call := d.api.Instances.AggregatedList(project).MaxResults(maxPage).ReturnPartialSuccess(true).Fields(listFields).Context(ctx)
	if name != "" {
		call.Filter("name = " + strconv.Quote(name))
	}
	var paging cloud.Paging
	for complete = true; ; {
		page, err := call.Do()
		if err != nil {
			return nil, false, refused(doing, err)
		}
		if page.Kind != kindList {
			return nil, false, fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
		}
		before := len(found)
		if found, err = d.instancesOf(found, project, page); err != nil {
			return nil, false, fmt.Errorf("%s: %w", doing, err)
		}
		complete = complete && whole(page)
		if page.NextPageToken == "" {
			return found, complete, nil
		}
		if err := paging.Page(len(found)-before, page.NextPageToken); err != nil {
			return nil, false, fmt.Errorf("%s: %w", doing, err)
		}
		call.PageToken(page.NextPageToken)
	}
}

// whole reports whether nothing is missing from a page: a zone that cannot be reached has a warning.
func whole(page *compute.InstanceAggregatedList) bool {
	if len(page.Unreachables) > 0 || page.Warning != nil && page.Warning.Code != noResults {
		return false
	}
	for _, zone := range page.Items {
		if zone.Warning != nil && zone.Warning.Code != noResults {
			return false
		}
	}
	return true
}

// noResults is the warning of a zone that is empty, or whose instances are on other pages.
const noResults = "NO_RESULTS_ON_PAGE"

func (d *Driver) instancesOf(found []cloud.Instance, project string, page *compute.InstanceAggregatedList) ([]cloud.Instance, error) {
	for _, zone := range page.Items {
		for _, read := range zone.Instances {
			i, err := d.instance(project, read)
			if err != nil {
				return nil, err
			}
			found = append(found, i)
		}
	}
	return found, nil
}

// Get implements cloud.Instances.
func (d *Driver) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		project, zone, name, err := d.where(id)
		if err != nil {
			return nil, err
		}
		read, err := d.api.Instances.Get(project, zone, name).Fields(fields).Context(ctx).Do()
		if err != nil {
			if err = d.absent(ctx, project, err); err == nil {
				continue
			}
			return nil, refused("reading the instance "+zone+"/"+name+" of the project "+project, err)
		}
		i, err := d.instance(project, read)
		if err == nil && i.ID != id {
			err = fmt.Errorf("%w: it is about %s", cloud.ErrIncomplete, i.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the instance %s: %w", id, err)
		}
		found[id] = i
	}
	return found, nil
}

// absent returns nil when an error says that an instance does not exist. The API says the same of
// those of a project that does not exist, or that the account may not see; the kernel looks at the
// first project by itself.
func (d *Driver) absent(ctx context.Context, project string, err error) error {
	refusal, ok := errors.AsType[*googleapi.Error](err)
	if !ok || classOf(refusal) != cloud.FailureNotFound {
		return err
	}
	if project == d.projects[0] {
		return nil
	}
	if _, err := d.readProject(ctx, project); err != nil {
		// Not wrapped: that the project is not found must not pass for an answer about the instance.
		return fmt.Errorf("%w: %s", errDoubt, err.Error())
	}
	return nil
}

// closed returns what is wrong with a further project that the account may not read, and nil where err
// is about something else.
func (d *Driver) closed(project string, err error) error {
	refusal, ok := errors.AsType[*googleapi.Error](err)
	if !ok || project == d.projects[0] {
		return nil
	}
	const right = "compute.instances.list"
	switch class := classOf(refusal); {
	case class == cloud.FailureUnauthorized && refusal.Code == http.StatusForbidden:
		return fmt.Errorf("the account needs the right %s in the project %s of %s: %w", right, project, envNodeProjects, err)
	case class == cloud.FailureNotFound:
		// Not wrapped: that the project is not found must not pass for an answer about an instance.
		return fmt.Errorf("the project %s of %s does not exist, or the account needs the right %s there: %w: %s", project, envNodeProjects, right, errDoubt, err.Error())
	default:
		return nil
	}
}

// FindByName implements cloud.Instances. The name of a Node may have a domain behind it, which the
// name of an instance has not. One instance is no answer while a project cannot be read, which may
// have another one of that name.
func (d *Driver) FindByName(ctx context.Context, node string) ([]cloud.Instance, error) {
	in, zone, name, ok := d.hostname(node)
	if !ok || !resourceName.MatchString(name) {
		return nil, nil
	}
	var all []cloud.Instance
	var unseen error
	for _, project := range d.projects {
		if in != "" && in != project {
			continue
		}
		found, complete, err := d.search(ctx, project, name)
		if closed := d.closed(project, err); closed != nil {
			unseen, err = errors.Join(unseen, fmt.Errorf("looking for the instance %s: %w", name, closed)), nil
		} else if err == nil && !complete {
			err = fmt.Errorf("looking for the instance %s in the project %s: %w", name, project, errIncomplete)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, named(found, zone, name)...)
	}
	if len(all) < 2 && unseen != nil {
		return nil, unseen
	}
	return all, nil
}

// named are the instances of that name, in that zone if it is not "".
func named(found []cloud.Instance, zone, name string) []cloud.Instance {
	return slices.DeleteFunc(found, func(i cloud.Instance) bool { return i.Name != name || zone != "" && i.Zone != zone })
}
