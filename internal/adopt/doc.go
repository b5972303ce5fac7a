// Package adopt says what a switch from an upstream controller manager to this one is going to do: which
// load balancer becomes which Service's and by what evidence, what is written, and which Nodes and
// Services are treated otherwise from then on. The kernel judges and plans; nothing is decided here.
package adopt
