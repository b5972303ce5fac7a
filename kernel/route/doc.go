// Package route keeps the cloud's routes for pod networks. The framework's route controller
// decides what to create and delete; this package translates between nodes and machines,
// shows it only routes this cluster owns, and refuses a pass that would delete too many.
package route
