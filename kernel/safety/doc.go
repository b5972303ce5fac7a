// Package safety holds the decisions that keep a mistake small: who owns a balancer, and
// how many nodes may be deleted in a while. Both are pure of I/O; whoever asks acts.
package safety
