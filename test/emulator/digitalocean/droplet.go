package digitalocean

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Statuses of a droplet.
const (
	DropletNew     = "new"
	DropletActive  = "active"
	DropletOff     = "off"
	DropletArchive = "archive"
)

// Droplet is what a test says about a virtual machine. An empty address means
// that the droplet has none of that kind.
type Droplet struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	// Region is a slug; empty makes the answer say "region": null.
	Region      string   `json:"region"`
	Size        string   `json:"size"`
	Tags        []string `json:"tags"`
	VPC         string   `json:"vpc_uuid"`
	PublicIPv4  string   `json:"public_ipv4"`
	PrivateIPv4 string   `json:"private_ipv4"`
	PublicIPv6  string   `json:"public_ipv6"`
	// ReservedIPv4 is shown as one more public IPv4 network after the first.
	ReservedIPv4 string `json:"reserved_ipv4,omitempty"`
	CreatedAt    string `json:"created_at"`
}

// GPU says whether lists leave the droplet out unless asked with type=gpus.
func (d *Droplet) GPU() bool { return strings.HasPrefix(d.Size, "gpu-") }

func (d *Droplet) hasTag(name string) bool {
	return slices.ContainsFunc(d.Tags, func(t string) bool { return strings.EqualFold(t, name) })
}

// dropletView is the JSON of the API.
type dropletView struct {
	ID           int          `json:"id"`
	Name         string       `json:"name"`
	Memory       int          `json:"memory"`
	VCPUs        int          `json:"vcpus"`
	Disk         int          `json:"disk"`
	Locked       bool         `json:"locked"`
	Status       string       `json:"status"`
	Kernel       *struct{}    `json:"kernel"`
	CreatedAt    string       `json:"created_at"`
	Features     []string     `json:"features"`
	BackupIDs    []int        `json:"backup_ids"`
	BackupWindow *struct{}    `json:"next_backup_window"`
	SnapshotIDs  []int        `json:"snapshot_ids"`
	Image        imageView    `json:"image"`
	VolumeIDs    []string     `json:"volume_ids"`
	Size         sizeView     `json:"size"`
	SizeSlug     string       `json:"size_slug"`
	Networks     networksView `json:"networks"`
	Region       *Region      `json:"region"`
	Tags         []string     `json:"tags"`
	VPCUUID      string       `json:"vpc_uuid"`
}

type imageView struct {
	ID           int      `json:"id"`
	Name         string   `json:"name"`
	Distribution string   `json:"distribution"`
	Slug         string   `json:"slug"`
	Public       bool     `json:"public"`
	Regions      []string `json:"regions"`
	CreatedAt    string   `json:"created_at"`
	MinDiskSize  int      `json:"min_disk_size"`
	Type         string   `json:"type"`
	SizeGB       float64  `json:"size_gigabytes"`
	Description  string   `json:"description"`
	Tags         []string `json:"tags"`
	Status       string   `json:"status"`
}

type sizeView struct {
	Slug         string   `json:"slug"`
	Memory       int      `json:"memory"`
	VCPUs        int      `json:"vcpus"`
	Disk         int      `json:"disk"`
	Transfer     float64  `json:"transfer"`
	PriceMonthly float64  `json:"price_monthly"`
	PriceHourly  float64  `json:"price_hourly"`
	Regions      []string `json:"regions"`
	Available    bool     `json:"available"`
	Description  string   `json:"description"`
}

type networksView struct {
	V4 []networkView `json:"v4"`
	V6 []networkView `json:"v6"`
}

type networkView struct {
	IPAddress string `json:"ip_address"`
	// Netmask is text for IPv4 and a prefix length for IPv6.
	Netmask any    `json:"netmask"`
	Gateway string `json:"gateway"`
	Type    string `json:"type"`
}

// encode returns the droplet as the API shows it.
func (d *Droplet) encode() []byte {
	vcpus, memory := capacity(d.Size)
	slugs := make([]string, len(regions))
	for i := range regions {
		slugs[i] = regions[i].Slug
	}
	view := dropletView{
		ID: d.ID, Name: d.Name, Memory: memory, VCPUs: vcpus, Disk: 80, Status: d.Status, CreatedAt: d.CreatedAt,
		Features:  []string{"monitoring", "droplet_agent", "private_networking"},
		BackupIDs: []int{}, SnapshotIDs: []int{}, VolumeIDs: []string{}, Tags: append([]string{}, d.Tags...),
		Image: imageView{
			ID: 155133621, Name: "24.04 (LTS) x64", Distribution: "Ubuntu", Slug: "ubuntu-24-04-x64", Public: true,
			Regions: slugs, CreatedAt: d.CreatedAt, MinDiskSize: 7, Type: "base", SizeGB: 2.36,
			Description: "Ubuntu 24.04 (LTS) x64", Tags: []string{}, Status: "available",
		},
		Size: sizeView{
			Slug: d.Size, Memory: memory, VCPUs: vcpus, Disk: 80, Transfer: 4, PriceMonthly: 24, PriceHourly: 0.03571,
			Regions: slugs, Available: true, Description: "Basic",
		},
		SizeSlug: d.Size, Networks: d.networks(), Region: findRegion(d.Region), VPCUUID: d.VPC,
	}
	data, err := json.Marshal(view)
	if err != nil {
		panic(fmt.Sprintf("encoding a droplet: %v", err)) // our own type: a bug
	}
	return data
}

func (d *Droplet) networks() networksView {
	n := networksView{V4: []networkView{}, V6: []networkView{}}
	if d.PublicIPv4 != "" {
		n.V4 = append(n.V4, networkView{d.PublicIPv4, "255.255.240.0", "198.18.0.1", "public"})
	}
	if d.ReservedIPv4 != "" {
		n.V4 = append(n.V4, networkView{d.ReservedIPv4, "255.255.0.0", "198.19.0.1", "public"})
	}
	if d.PrivateIPv4 != "" {
		n.V4 = append(n.V4, networkView{d.PrivateIPv4, "255.254.0.0", "<nil>", "private"})
	}
	if d.PublicIPv6 != "" {
		n.V6 = append(n.V6, networkView{d.PublicIPv6, 64, "2001:db8:1::1", "public"})
	}
	return n
}

// capacity reads processors and memory in MB out of a slug such as "s-2vcpu-4gb".
func capacity(slug string) (vcpus, memory int) {
	vcpus, memory = 1, 1024
	for part := range strings.SplitSeq(slug, "-") {
		if n, err := strconv.Atoi(strings.TrimSuffix(part, "vcpu")); err == nil && strings.HasSuffix(part, "vcpu") {
			vcpus = n
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(part, "gb")); err == nil && strings.HasSuffix(part, "gb") {
			memory = n * 1024
		}
	}
	return vcpus, memory
}
