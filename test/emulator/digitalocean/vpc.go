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

// AddVPC adds a network beside the region's default one and returns it.
func (a *Account) AddVPC(name, region string) VPC {
	var added VPC
	a.change(func() { added = a.addVPC(name, region, false) })
	return added
}

func (a *Account) addVPC(name, region string, isDefault bool) VPC {
	id := a.server.newUUID()
	v := VPC{
		ID: id, URN: "do:vpc:" + id, Name: name, Region: region, Default: isDefault,
		IPRange: "10.100.0.0/15", CreatedAt: a.server.timestamp(),
	}
	a.vpcs = append(a.vpcs, v)
	return v
}

// defaultVPC returns the region's default network, made on first use as in the real cloud.
func (a *Account) defaultVPC(region string) VPC {
	for _, v := range a.vpcs {
		if v.Default && v.Region == region {
			return v
		}
	}
	return a.addVPC(fmt.Sprintf("default-%s", region), region, true)
}

func (a *Account) findVPC(id string) *VPC {
	for i := range a.vpcs {
		if a.vpcs[i].ID == id {
			return &a.vpcs[i]
		}
	}
	return nil
}

func (a *Account) listVPCs(r *http.Request) (reply, error) {
	return paged(r, "vpcs", a.vpcs), nil
}

func (a *Account) getVPC(r *http.Request) (reply, error) {
	v := a.findVPC(r.PathValue("id"))
	if v == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"vpc": v}}, nil
}
