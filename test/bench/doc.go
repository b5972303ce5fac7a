// Package bench measures what the real binary costs: requests to the cloud, writes to the
// API server, time, processor and memory. Counts do not depend on the machine, so they can
// be asserted; times are only printed.
//
// One run has one number of nodes and three processes, one after the other, on one control
// plane and one test cloud:
//
//	process  flags                    measured
//	1        default                  initialisation
//	2        grace of nodes short     a restart, nodes going NotReady, Services made
//	3        status pass more often   Services ensured again, a status pass, nodes
//	                                  added, Services deleted
package bench
