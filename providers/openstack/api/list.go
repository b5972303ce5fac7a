package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// maxPage is the largest page Nova and Neutron serve by default; clouds may lower it.
const maxPage = 1000

// MaxIDs is how many ids one filter names: some proxies refuse an URL of more than 8 kB.
const MaxIDs = 100

// identified is an object with its id, which names it as the marker of the next page of a list.
type identified interface{ Identifier() string }

// ListAll reads all pages of a list. Its key in the answer is name. An answer without the list is
// an error, and so is an error of any page.
//
// The links to the next page only say that there is one: behind a proxy they often lead to
// an address nobody outside reaches.
func ListAll[T identified](ctx context.Context, client *gophercloud.ServiceClient, name, path string, query url.Values) ([]T, error) {
	all, _, err := ListDated[T](ctx, client, name, path, query)
	return all, err
}

// ListDated is ListAll with the time of the first answer by the clock of the API.
func ListDated[T identified](ctx context.Context, client *gophercloud.ServiceClient, name, path string, query url.Values) (all []T, read time.Time, err error) {
	query = withLimit(query)
	var paging cloud.Paging
	for {
		var answer map[string]json.RawMessage
		header, err := Get(ctx, client, client.ServiceURL(path)+"?"+query.Encode(), &answer)
		if err != nil {
			return nil, read, err
		}
		if read.IsZero() {
			read = Clock(header)
		}
		var items []T
		if err := json.Unmarshal(orNull(answer[name]), &items); err != nil {
			return nil, read, err
		}
		if items == nil || slices.ContainsFunc(items, func(i T) bool { return i.Identifier() == "" }) {
			return nil, read, fmt.Errorf("%s: %w", name, cloud.ErrIncomplete)
		}
		all = append(all, items...)
		more, err := hasNext(answer[name+"_links"])
		if err != nil || !more || len(items) == 0 {
			return all, read, err
		}
		marker := items[len(items)-1].Identifier()
		if err := paging.Page(len(items), marker); err != nil {
			return nil, read, err
		}
		query.Set("marker", marker)
	}
}

func withLimit(query url.Values) url.Values {
	limited := url.Values{"limit": {strconv.Itoa(maxPage)}}
	maps.Copy(limited, query)
	return limited
}

// hasNext reads the links beside a list. The last page has none.
func hasNext(raw json.RawMessage) (bool, error) {
	var links []struct {
		Rel string `json:"rel"`
	}
	if err := json.Unmarshal(orNull(raw), &links); err != nil {
		return false, err
	}
	for _, link := range links {
		if link.Rel == "next" {
			return true, nil
		}
	}
	return false, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// Clock returns the time of an answer by the API's clock, zero when it does not tell.
func Clock(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}
