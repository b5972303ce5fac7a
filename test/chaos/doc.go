// Package chaos attacks a running CCM and measures what is lost: processes that are killed again
// and again while the cloud hides machines, two active leaders, one tenant against another, hostile
// answers, a frozen API server, and many Services made and deleted. Each scenario has a bound; the
// real binary, a real API server and a strict emulator of DigitalOcean take part.
//
// A soak does all sorts of things at once, for as long as one likes, on DigitalOcean's and on Hetzner's emulator: Services and machines
// come, change and go, the CCM is killed, and requests fail, hang, or are done without an answer. In the end cloud and cluster are compared.
package chaos
