package testcloud

import (
	"cmp"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// Facts are what tests have to know of a cloud.
type Facts struct {
	// Provider is the value of --cloud-provider.
	Provider string
	// List is the route of a list of machines, in pages of Page. With Trailing a full page is followed
	// by another one, which may be empty. Alike are further lists that are as long and paged alike, and
	// Beside further requests of a whole list, whatever its length. Without the ability API nothing is listed.
	List     string
	Page     int
	Trailing bool
	Alike    int
	Beside   int
	// Details is how many machines share one more request when they are initialised; none when 0.
	Details int
	// Create are the routes of requests that create a load balancer.
	Create []string
	// Login is the route of requests for a token, which write nothing; "" for none.
	Login string
	// BareIDs says that a provider-ID may be an id without a scheme.
	BareIDs bool
	// Unrecorded says that Services have no annotation with the id of their load balancer.
	Unrecorded bool
	// Machines, Machine and All are paths of requests, as in fault.Fault: of lists of machines, of
	// one machine, and of everything but logins.
	Machines, Machine, All string
	// AtOnce is how many tests may have such a cloud at the same time.
	AtOnce int
	// Most is the largest number of machines that the test cloud bears, MostBehind that with load
	// balancers in front of them; 0 for any.
	Most, MostBehind int
	// Quota is the cloud's published limit of requests. How old lists of machines become follows from what there is of an hour.
	Quota rate.Quota
	// DeletionReads is how many reads the deletion of a load balancer may take, 0 for one.
	DeletionReads int
	// MostTargets is how many targets a load balancer has at the most, 0 for any number.
	MostTargets int
	// Lacks are the abilities that it does not have, each with the reason.
	Lacks map[Ability]string
}

// Pages is how many pages a list of n machines has.
func (f Facts) Pages(n int) int {
	if !f.Can(API) {
		return 0
	}
	pages := max(1, (n+f.Page-1)/f.Page)
	if f.Trailing && n > 0 && n%f.Page == 0 {
		pages++
	}
	return pages
}

// Listing is what a list of n machines costs in requests.
func (f Facts) Listing(n int) int { return f.Pages(n)*(1+f.Alike) + f.Beside }

// ListAge is how old a list of n machines may become: a minute, or as old as keeps lists within 15 % of the limit, which is
// taken for 3,600 where none is published.
func (f Facts) ListAge(n int) time.Duration {
	const share = 0.15
	return max(time.Minute, time.Duration(float64(f.Listing(n))/(share*float64(cmp.Or(f.Quota.Hour, 3600)))*float64(time.Hour)))
}

// Initialising is what may be asked to initialise n machines.
func (f Facts) Initialising(n int) int {
	if !f.Can(API) {
		return 0
	}
	const few = 10 // the identity, logins, a second look at what is new
	most := f.Listing(n) + few
	if f.Details > 0 {
		most += (n + f.Details - 1) / f.Details
	}
	return most
}

// Can says whether the cloud has an ability.
func (f Facts) Can(ability Ability) bool {
	_, lacks := f.Lacks[ability]
	return !lacks
}

// Ability is something that not every test cloud can do.
type Ability string

// Abilities.
const (
	// API is somebody to ask which machines there are, and what became of one.
	API Ability = "API that knows the machines"
	// Types are types of machines, which are labels of Nodes.
	Types Ability = "types of machines"
	// Balancers are load balancers of the driver.
	Balancers Ability = "load balancers"
	// Activation is a time that new balancers take, see Options.
	Activation Ability = "balancers that take a given time"
	// RefusedStart is a program that starts although the cloud refuses its credentials.
	RefusedStart Ability = "start with credentials that are refused"
	// Rename is a new name for a machine.
	Rename Ability = "machines that are renamed"
	// Twins are two machines of one name.
	Twins Ability = "two machines of one name"
	// Chosen are names and addresses that the test gives to machines.
	Chosen Ability = "machines with given names and addresses"
	// ShortLists are faults that cut the list in an answer.
	ShortLists Ability = "lists that a fault cuts"
	// SecondPage is the page of a list that a fault can select.
	SecondPage Ability = "faults of one page of a list"
	// ReadOne is a path of its own for one machine.
	ReadOne Ability = "faults of reading one machine alone"
	// Prompt are balancers that a test can make dozens of times.
	Prompt Ability = "balancers that are made at once"
	// Many are hundreds of machines.
	Many Ability = "hundreds of machines for each test"
)

// Need skips the test where the cloud lacks one of the abilities, and says which and why.
func Need(t testing.TB, f Facts, abilities ...Ability) {
	t.Helper()
	for _, ability := range abilities {
		if why, lacks := f.Lacks[ability]; lacks {
			t.Skipf("the test cloud %s has no %s: %s", f.Provider, ability, why)
		}
	}
}
