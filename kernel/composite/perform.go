package composite

import (
	"context"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// run is a change that is carried out.
type run struct {
	model  *model
	change cloud.Change
	// steps are those that are left.
	steps []*step
	// progress is what the run has to tell so far, last the step that was done last.
	progress cloud.Progress
	last     string
	// follows says that the driver tells when a balancer has settled.
	follows bool
	// goesOn says that this run follows another one without a look, and unseen that it does because the balancer has settled.
	goesOn, unseen bool
	// passed says that a step was passed over, so that what follows may be about what others write too.
	passed bool
	// refusals are what the cloud has refused, repeats says that the next run asks for something of that again, and ended that
	// nothing is planned again: what is left is carried out.
	refusals       []error
	repeats, ended bool
	// told is how many refusals an earlier run has returned.
	told int
	// unknown are resources that were made along with another one, whose ids are not known.
	unknown map[cloud.IDOf]bool
	// fitting are resources that were found to fit before the present one is deleted, former those that were deleted
	// to be made again.
	fitting map[cloud.IDOf]bool
	former  map[cloud.IDOf]cloud.Resource
	// disturbed are the kinds of which nothing is known any more, see cloud.ResourceKind.
	disturbed map[string]bool
	// made is what the cloud has answered of a balancer that was made.
	made cloud.Made
}

// carryOut carries out a step.
func (r *run) carryOut(ctx context.Context, s *step) (id string, err error) {
	if err := r.fits(ctx, s); err != nil {
		return "", err
	}
	owner := r.model.resolved(cloud.To(s.owner))
	switch missing := r.unresolved(s.wanted); {
	case s.wanted.Problem != nil:
		err = s.wanted.Problem
	case s.kind.Batch.Name() != "" && !owner.IsKnown():
		err = fmt.Errorf("the id of %s %s is not known", s.owner.Kind, s.owner.Key)
	case s.verb == cloud.Create && missing != nil:
		err = fmt.Errorf("%s %s, which it refers to, is not there", missing.Kind, missing.Key)
	case s.kind.Batch.Name() != "":
		err = s.kind.Write(ctx, owner.ID, r.withIDs(s.with...))
	case s.verb == cloud.Create && s.kind.Together.Name() != "":
		err = s.kind.Add(ctx, r.withIDs(s.all()...))
	case s.verb == cloud.Create:
		id, err = r.create(ctx, s)
	case s.verb == cloud.Update:
		err = s.kind.Update(ctx, r.present(s.present)[0], r.withIDs(s.wanted)[0], s.fields)
	case s.kind.Together.Name() != "":
		err = s.kind.Remove(ctx, r.present(s.all()...))
	default:
		err = s.kind.Delete(ctx, r.present(s.present)[0])
	}
	r.blame(s, err)
	if err != nil {
		return id, fmt.Errorf("%s: %w", s.doing(), err)
	}
	return id, nil
}

// fits asks once whether the cloud would have what a step leads to, in the place of a resource that is there.
func (r *run) fits(ctx context.Context, s *step) error {
	if s.replaces == nil || r.fitting[s.replaces.Ref()] {
		return nil
	}
	ref := s.replaces.Ref()
	if ask := r.model.byName[ref.Kind].Fits; ask != nil {
		if err := ask(ctx, r.withIDs(r.model.present.byRef[ref])[0], r.withIDs(*s.replaces)[0]); err != nil {
			return fmt.Errorf("%s stays as it is: %w", ref, err)
		}
	}
	r.fitting[ref] = true
	return nil
}

// withIDs returns resources with ids in the place of what stands for them.
func (r *run) withIDs(list ...cloud.Resource) []cloud.Resource {
	resolved := make([]cloud.Resource, len(list))
	for i, one := range list {
		for _, field := range one.Fields.All() {
			if len(field.References()) > 0 {
				one.Fields = one.Fields.With(field.Resolved(r.model.resolved))
			}
		}
		resolved[i] = one
	}
	return resolved
}

// present returns resources as they are by now, with ids.
func (r *run) present(list ...cloud.Resource) []cloud.Resource {
	var present []cloud.Resource
	for _, one := range list {
		present = append(present, r.model.present.byRef[one.Ref()])
	}
	return r.withIDs(present...)
}

// unresolved returns a resource that this one refers to and whose id is not known, nil when there is
// none.
func (r *run) unresolved(one cloud.Resource) *cloud.IDOf {
	for _, field := range one.Fields.All() {
		for _, ref := range field.References() {
			if to := r.model.resolved(ref); !to.IsKnown() {
				return &to.Of
			}
		}
	}
	return nil
}

// create makes the resource of a step, and notes what the answer says of a balancer.
func (r *run) create(ctx context.Context, s *step) (id string, err error) {
	wanted, with := r.withIDs(s.wanted)[0], r.withIDs(s.with...)
	if s.kind.CreateBalancer == nil {
		return s.kind.Create(ctx, wanted, with)
	}
	r.made, err = s.kind.CreateBalancer(ctx, wanted, with)
	r.model.chosen = r.made.Chosen
	return r.made.ID, err
}

// blame says which machines a step was to make targets that was refused for them.
func (r *run) blame(s *step, err error) {
	for _, refused := range cloud.RefusedTargets(err) {
		if refused.Asked != nil {
			continue
		}
		for _, one := range append([]cloud.Resource{s.wanted}, s.with...) {
			if one.Machine != "" && !r.model.present.has(one.Ref()) {
				refused.Asked = append(refused.Asked, one.Machine)
			}
		}
	}
}
