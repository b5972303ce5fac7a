// Package api makes requests to the APIs of OpenStack: objects, lists page by page, and what their
// errors mean. It knows no kind of object.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Get reads an object or a list into answer.
func Get(ctx context.Context, client *gophercloud.ServiceClient, url string, answer any) (http.Header, error) {
	response, err := client.Get(ctx, url, answer, nil)
	if err != nil {
		return nil, err
	}
	return response.Header, nil
}

// GetOne reads one object, which the answer has under that name.
func GetOne[T any](ctx context.Context, client *gophercloud.ServiceClient, name string, path ...string) (object T, header http.Header, err error) {
	var answer map[string]*T
	header, err = Get(ctx, client, client.ServiceURL(path...), &answer)
	if err == nil && answer[name] == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return object, nil, err
	}
	return *answer[name], header, nil
}

// Put writes an object that nobody changed since this revision of Neutron; 0 is any.
func Put(ctx context.Context, client *gophercloud.ServiceClient, url string, body any, revision int) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}}
	if revision > 0 {
		opts.MoreHeaders = map[string]string{"If-Match": "revision_number=" + strconv.Itoa(revision)}
	}
	_, err := client.Put(ctx, url, body, nil, opts)
	return err
}

// Post makes an object, which the request has under that name, and reads the answer unless that is nil.
func Post(ctx context.Context, client *gophercloud.ServiceClient, name string, body, answer any, path ...string) error {
	_, err := client.Post(ctx, client.ServiceURL(path...), map[string]any{name: body}, answer, changed())
	return err
}

// Create makes an object likewise, and returns its id. An answer that is none of the API says that nothing was made.
func Create(ctx context.Context, client *gophercloud.ServiceClient, name string, body any, path ...string) (string, error) {
	var answer map[string]struct {
		ID string `json:"id"`
	}
	err := Post(ctx, client, name, body, &answer, path...)
	return answer[name].ID, err
}

// Update changes an object, which the request has under that name.
func Update(ctx context.Context, client *gophercloud.ServiceClient, name string, body any, path ...string) error {
	_, err := client.Put(ctx, client.ServiceURL(path...), map[string]any{name: body}, nil, changed())
	return err
}

// changed says which statuses a change that was made has; the library expects only some of them. It
// writes body and answer into the options, so every request has its own.
func changed() *gophercloud.RequestOpts {
	return &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}}
}

// Remove deletes an object. One that is gone already is as good, if the API itself says so.
func Remove(ctx context.Context, client *gophercloud.ServiceClient, path ...string) error {
	_, err := client.Delete(ctx, client.ServiceURL(path...), nil)
	if Classify(err).Class == cloud.FailureNotFound {
		return nil
	}
	return err
}

// Clock returns the time of an answer by the API's clock, zero when it does not tell.
func Clock(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}

// UUID is the form of all ids of Nova. An id of any other form cannot be one of its servers,
// which its answer "not found" would hide.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// maxPage is the largest page Nova and Neutron serve by default; clouds may lower it.
const maxPage = 1000

// MaxIDs is how many ids one filter names: some proxies refuse an URL of more than 8 kB.
const MaxIDs = 100

// identified is an item of a list, with the id that names it as the marker of the next page.
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

// ForCreation leaves out what has its default: a field of no value is only sent to take one away.
func ForCreation(fields map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range fields {
		switch v := value.(type) {
		case nil:
			continue
		case string:
			if v == "" {
				continue
			}
		case []string:
			if len(v) == 0 {
				continue
			}
		case map[string]string:
			if len(v) == 0 {
				continue
			}
		}
		body[name] = value
	}
	return body
}

// Chosen returns some of the fields.
func Chosen(fields map[string]any, names []string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = fields[name]
	}
	return some
}
