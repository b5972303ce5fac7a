// Package run puts everything around a cloud's driver that a driver must not do itself:
// deadlines, retries, classification, containment of panics and measuring (Decorate); the
// rate limit, priorities and the time limit of single requests (NewTransport); and live,
// dry-run execution of plans (Executor).
package run
