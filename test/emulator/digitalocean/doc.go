// Package digitalocean emulates the part of the DigitalOcean v2 API that a
// cloud-controller-manager uses, over real HTTP and as strictly as the vendor's
// public API description allows: unknown fields, bad values and changes of
// immutable fields are refused.
//
// Where the description is silent the comments say "guess". The facts come from
// the public OpenAPI description of the v2 API and from the field names of the
// vendor's Go client.
//
//	server := digitalocean.New(digitalocean.Options{})
//	url, err := server.Listen("127.0.0.1:0")
//	defer server.Close()
//	droplets := server.Droplets.Seed(3)
//
// A Server is also an http.Handler. It embeds the default Account, so that
// seeding and hand edits read as above; In selects another account.
package digitalocean
