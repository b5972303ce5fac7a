// Package openstack is a real OpenStack for tests: keystone, nova, neutron, octavia and
// barbican of Debian 12 on loopback, without a hypervisor. The scripts in lab/ run it; this
// package starts it where it does not run, gives every test a project of its own, and says
// what is left in one. Package relay puts itself between a client and the lab, to count
// requests and to break them.
package openstack
