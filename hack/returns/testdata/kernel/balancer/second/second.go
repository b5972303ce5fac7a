// Package second is left out of a figure.
package second

func Make() {}
