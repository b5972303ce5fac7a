package digitalocean

import (
	"fmt"
	"net/http"
)

// VPC is a private network.
type VPC struct {
	ID          string `json:"id"`
	URN         string `json:"urn"`
	Name        string `json:"name"`
	Description string `json:"description"`
	IPRange     string `json:"ip_range"`
	Region      string `json:"region"`
	CreatedAt   string `json:"created_at"`
	Default     bool   `json:"default"`
}

// VPCs are the account's.
type VPCs struct {
	account *Account
	all     []VPC
}

// Add adds a network beside the region's default one and returns it.
func (vs *VPCs) Add(name, region string) VPC {
	var added VPC
	vs.account.change(func() { added = vs.add(name, region, false) })
	return added
}

func (vs *VPCs) add(name, region string, isDefault bool) VPC {
	id := vs.account.server.newUUID()
	v := VPC{
		ID: id, URN: "do:vpc:" + id, Name: name, Region: region, Default: isDefault,
		IPRange: "10.100.0.0/15", CreatedAt: vs.account.server.timestamp(),
	}
	vs.all = append(vs.all, v)
	return v
}

// defaultOf returns the region's default network, made on first use as in the real cloud.
func (vs *VPCs) defaultOf(region string) VPC {
	for _, v := range vs.all {
		if v.Default && v.Region == region {
			return v
		}
	}
	return vs.add(fmt.Sprintf("default-%s", region), region, true)
}

func (vs *VPCs) find(id string) *VPC {
	for i := range vs.all {
		if vs.all[i].ID == id {
			return &vs.all[i]
		}
	}
	return nil
}

func (vs *VPCs) list(r *http.Request) (reply, error) {
	return paged(r, "vpcs", vs.all), nil
}

func (vs *VPCs) get(r *http.Request) (reply, error) {
	v := vs.find(r.PathValue("id"))
	if v == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"vpc": v}}, nil
}
