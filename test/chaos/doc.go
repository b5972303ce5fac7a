// Package chaos attacks a running CCM and measures what is lost: processes that are killed again
// and again while the cloud hides machines, two active leaders, one tenant against another, hostile
// answers, a frozen API server, and many Services made and deleted. Each scenario has a bound; the
// real binary, a real API server and a strict emulator of DigitalOcean take part.
package chaos
