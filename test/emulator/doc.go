// Package emulator is the root of the cloud API emulators that stand in for a
// real cloud in tests, in the quickstart and in the benchmark.
//
// The neutral parts are shared by every vendor:
//
//   - front listens and runs the pipeline around a vendor's handler: latency, halts,
//     quota, faults, counters, the request log and the /_emulator endpoints;
//   - fault says how answers go wrong, rate counts quotas, halt stops the world
//     at one exact call, traffic remembers what was asked, and watch wakes
//     whoever waits for a change.
//
// A vendor package (digitalocean, gce) holds the state and the rules of one API. What tests of the
// whole program need of any of them is in test/testcloud.
package emulator
