// Package nova shows the servers of Nova as machines, with the addresses of their ports.
package nova
