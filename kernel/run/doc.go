// Package run puts everything around a cloud's driver that a driver must not do itself:
// deadlines, retries, classification, containment of panics and measuring (Decorate), and
// execution of plans, live or as a dry run (Executor).
package run
