package cloud

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"time"
)

// Descriptor holds the static facts of a provider: what `providers` prints, what the docs
// are generated from and what the kernel plans calls with. Reading it costs no I/O.
type Descriptor struct {
	// Name is the value of --cloud-provider, the build tag, the folder and the metrics
	// label. It is the name the upstream CCM registered.
	Name string
	// Title is the cloud's own name, as people write it.
	Title string
	// Status is the maturity of this provider.
	Status Status
	// ProviderIDSchemes are the schemes (before "://") of this cloud's Nodes. Nodes with
	// any other scheme belong to somebody else and are never touched, unless the driver has a
	// ProviderIDScope that says otherwise.
	ProviderIDSchemes []string
	// SchemesSetting names a declared Setting with which the user adds schemes to ProviderIDSchemes; "" when the provider has none.
	SchemesSetting string
	// ProviderIDForm shows the form for people: "digitalocean://<droplet id>".
	ProviderIDForm string
	// Offline says that there is no API: no request is ever sent, and there is neither an account nor credentials. Its machines
	// are those that their Nodes describe, see Describer.
	Offline bool
	// Capabilities are what the driver can do with balancers and routes.
	Capabilities Capabilities
	// Limits are the published limits of the API.
	Limits Limits
	// Settings are the environment variables the provider reads, besides annotations.
	Settings []Setting
	// Variables says which other environment variables look like Settings.
	Variables Variables
	// Secret is the name of the Kubernetes Secret that upstream's manifests keep the
	// credentials in, "" when there is none. It is the chart's default, so that a switch
	// from upstream needs no new Secret.
	Secret string
	// ConfigFile is the file of --cloud-config in upstream's format, nil when the provider
	// reads none.
	ConfigFile *ConfigFile
	// IDAnnotation is the Service annotation that records the balancer's id, in the form
	// the upstream CCM wrote it, or "".
	IDAnnotation string
	// Notes are what is otherwise here than with other providers, and has to be known before anything is installed. The chart's
	// notes and the reference show them.
	Notes []string
}

// Variables say what an environment variable is that no Setting has: a typing error, or another program's.
type Variables struct {
	// Prefix is that of variables which only this provider and the programs of Others read, "" where an SDK or somebody
	// else has variables with it too. The user is told of every other one with it.
	Prefix string
	// Others are variables that other programs read, such as the cloud's command line or SDK, and that would be taken for
	// typing errors. A "*" stands for any characters.
	Others []string
}

// Status is the maturity of a provider.
type Status string

// The stages of a provider.
const (
	StatusAlpha  Status = "alpha"
	StatusBeta   Status = "beta"
	StatusStable Status = "stable"
	// StatusTest marks providers that exist for tests and demonstrations.
	StatusTest Status = "test"
)

// Capabilities say what a cloud can do. The kernel reports on the Service whatever is
// asked for beyond them; it is never dropped silently.
type Capabilities struct {
	Balancers bool
	Routes    bool
	Firewalls bool
	// RoutesUntagged says that the cloud's routes have nothing an ownership tag could be in. The
	// kernel then takes those for its own that lead to a Node's machine, or nowhere any more.
	RoutesUntagged bool
	// RoutesApart says that each route is an object of its own, and many are written at once. Elsewhere all are one
	// table, which takes one change after the other.
	RoutesApart bool
	// RoutesByAddress says that a route names an address and no machine, see Route.NextHop.
	RoutesByAddress bool
	// MaxRoutes is how many routes ListRoutes may come to return, 0 for no published limit. The kernel makes
	// no more, and says so.
	MaxRoutes int
	// Hostnames says that the cloud has host names of its own for machines, such as those of its DNS, which are their
	// AddressHostname. Elsewhere a Hostname is the name of the machine, and the kernel puts the Node's name in its place.
	Hostnames bool
	// Loopback says that machines and load balancers of the cloud are on this host, so that their loopback addresses
	// count. Elsewhere the kernel drops those.
	Loopback bool
	// Tags says that machines can have tags which users choose, see Tagger.
	Tags bool
	// Protocols are the transport protocols a Service port may have.
	Protocols []Protocol
	// LeavesOut are protocols that the cloud lacks, and whose ports are left out, with an event, as long
	// as the Service has another one: upstream's users rely on it. A port of any other protocol that is not in
	// Protocols is refused with its Service.
	LeavesOut []Protocol
	// NodePorts says that balancers reach Services through node ports only. A Service that
	// has none is refused.
	NodePorts bool
	// SourceRanges says whether spec.loadBalancerSourceRanges can be enforced. A Service
	// that asks for them where they can't be is refused, because it would be wide open.
	SourceRanges bool
	// Fields say what becomes of fields of a Service for which neither another capability nor the kernel says it, or where this
	// cloud differs, see Use.
	Fields map[ServiceField]Use
	// Immutable are the Field names of a Balancer that the API refuses to change.
	Immutable []string
	// VersionStamps says that Observe uses all of Input.Last. Elsewhere the kernel keeps no observation between
	// two looks, but for its id: with many machines it is large.
	VersionStamps bool
	// FindsInLists says that Observe reads what the BulkLister does, and as much, where it is given no list, no id and no observation of
	// before. Where the common list fails or is slow, no Service reads one for itself then, unless it is given up.
	FindsInLists bool
	// DeletesAtOnce says that reads do not show a balancer any more when its deletion is acknowledged, and that what is left of
	// it harms nobody. Where there is a BulkLister one list before the deletion and one after it are all that is read.
	DeletesAtOnce bool
	// FirewallRules is how many Openings the managed firewall holds, and FirewallSources how many
	// sources and balancers one of them; 0 for no published limit.
	FirewallRules   int
	FirewallSources int
}

// Limits are the published limits of a cloud's API. Zero means none is published.
type Limits struct {
	// PageSize is the largest page of a machine list.
	PageSize int
	// AnswerSize is the largest answer that is read, in bytes, where PageSize says too little; see
	// MaxAnswer.
	AnswerSize int
	// GetBatch is how many ids one Instances.Get may name, at least 1.
	GetBatch int
	// RequestsPerHour and RequestsPerMinute bound one credential. With APIs they are those of what
	// is in none of them.
	RequestsPerHour   int
	RequestsPerMinute int
	// APIs are the parts of the API with limits of their own, none where all requests have one.
	APIs []API
	// QPSSetting names a declared Setting with which the user lowers the rate, in requests
	// per second; "" when the provider has none.
	QPSSetting string
}

// API is a part of a cloud's API that the cloud limits apart from the rest, such as another product,
// or lists apart from reads of one object. It is limited and measured apart too: that one part is
// used up or throttled holds no request of another back. Which requests are of it says the
// provider, see registry.Provider.
type API struct {
	// Name is the label "api" of its metrics.
	Name string
	// RequestsPerHour and RequestsPerMinute bound one credential.
	RequestsPerHour   int
	RequestsPerMinute int
	// Pause is how long nothing is sent after an answer that registry.Provider.Throttled recognised: at least
	// that long where more requests make it worse. 0 is for as long as the answer says.
	Pause time.Duration
	// Keep is how long the answer 200 to a GET request may answer the same request again, with the same
	// credentials. Absence is always asked anew. 0 is not at all; it is for APIs with small limits.
	Keep time.Duration
	// Refused is how long the answer 401 answers all GET requests with the same credentials, of other APIs too that keep
	// anything: wrong logins lock accounts. 0 is not at all.
	Refused time.Duration
}

// MaxAnswer is the largest answer of the API that is read. 64 KiB an item is many times what
// machines have; a load balancer with 5,000 targets has 50. JSON is held in memory whole while it
// is decoded, so that there is an upper bound too.
func (l Limits) MaxAnswer() int {
	const base, item, most = 1 << 20, 64 << 10, 24 << 20
	return cmp.Or(l.AnswerSize, min(base+item*l.PageSize, most))
}

// ConfigFile says where upstream's manifests keep the file of --cloud-config.
type ConfigFile struct {
	// Value is its name in the chart's values.
	Value string
	// Key is its key in Descriptor.Secret.
	Key      string
	Required bool
	Doc      string
	// Keys are the keys the file may hold, in the order in which people read them.
	Keys []ConfigKey
	// Inventory says that the file is one of an Inventory, which the kernel reads: Config.Inventory. Keys are InventoryKeys.
	Inventory bool
}

// Secret says whether the file may hold a secret. One whose keys are not declared may hold any.
func (c ConfigFile) Secret() bool {
	return len(c.Keys) == 0 || slices.ContainsFunc(c.Keys, func(k ConfigKey) bool { return k.Secret })
}

// ConfigKey declares one key of a ConfigFile.
type ConfigKey struct {
	// Section is where the key stands, as it is written: "LoadBalancer".
	Section string
	Name    string
	// Type says what the value is, for people: "bool", "number".
	Type    string
	Default string
	Secret  bool
	Doc     string
}

// Config is what a provider's constructor gets. Nothing in it is global.
type Config struct {
	// Cloud is the name of this entry; with one cloud it is the provider's name.
	Cloud string
	// ClusterName is --cluster-name, "kubernetes" by default.
	ClusterName string
	// Default says that Nodes which say nothing of their cloud are this one's: they have no provider-ID, and wait for their cloud.
	Default bool
	// File returns the current content of --cloud-config; it is nil when none was given. Call
	// it again where a rotated credential may be in it.
	File func() ([]byte, error)
	// Inventory is what the file says where ConfigFile.Inventory is true; it is nil when none was given.
	Inventory Inventory
	// Lookup returns the value of a declared Setting, its default when unset.
	Lookup func(name string) string
	// Secret returns the current value of a declared secret Setting; it re-reads the
	// mounted file after a rotation, so call it per request, not once.
	Secret func(name string) (string, error)
	// Transport carries every request to the cloud: it limits, measures and bounds them.
	// Drivers must use it for all their traffic.
	Transport http.RoundTripper
	// WithTLS returns the Transport with other settings of TLS, for a cloud that has its own
	// certificate authority or asks for a client's certificate. Rate limit and metrics are
	// shared. Settings left zero keep their defaults.
	WithTLS func(settings *tls.Config) http.RoundTripper
	// Warn tells the operator of something in the configuration that works but is hardly
	// meant: a key nobody reads, a value that is ignored.
	Warn func(message string)
	// UserAgent is "multicloud-ccm/<version>".
	UserAgent string
}

// New builds a driver. It may read the network only to validate the configuration, and
// runs on standby replicas too.
type New func(ctx context.Context, config Config) (*Driver, error)

// Identity is what the credentials see.
type Identity struct {
	// Unknown says that nothing the credentials can read tells one account from another. The machine of a Ready
	// Node decides alone then: no other account has it. Account is "".
	Unknown bool
	// Account identifies the scope (account, project, tenant) uniquely within the cloud.
	Account string
	// Region is the default region, where the cloud has one.
	Region string
}

// Timeouts that hold for every cloud unless a deadline on the context is nearer.
const (
	// RequestTimeout bounds one HTTP request.
	RequestTimeout = 30 * time.Second
	// CallTimeout bounds one driver call, which may be several requests.
	CallTimeout = 2 * time.Minute
)

// Upstream is what those have to know who switch from the controller manager of the cloud's own
// project, as a declaration: the command `adopt` names the Nodes and Services that it is about.
type Upstream struct {
	// Name is what that controller manager is called, "" where there is none.
	Name string
	// Guide is the page about the switch, as a path of the repository.
	Guide string
	// Differences are what is done otherwise here for some Nodes or Services of this cloud. What is
	// done otherwise on every cloud is not among them.
	Differences []Difference
}

// Difference is something that is done otherwise here than upstream does it. Changes of a balancer or
// a Node at the switch are none: they are planned.
type Difference struct {
	// ID is what programs know it by, such as "aws-udp-check".
	ID string
	// Text says to people what is otherwise, and what they can do.
	Text string
	// Anchor is the paragraph of Upstream.Guide that says more.
	Anchor string
	// Node reports whether it is about a Node, nil where it is about none. The machine is zero when
	// the cloud has none for it. It is pure.
	Node func(name, providerID string, machine Instance) bool
	// Service reports whether it is about a Service, nil where it is about none. The balancer is not
	// Found when the Service has none. It is pure.
	Service func(spec Spec, balancer Observed) bool
}
