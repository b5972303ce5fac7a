// Package safety holds the decisions that keep a mistake small: who owns a balancer, and
// how many nodes may be deleted in a while. Both are free of I/O: whoever asks acts, and a
// Store keeps what the brake counts.
package safety
