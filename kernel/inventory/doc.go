// Package inventory reads the file that says which machines there are where no API does: the kind Inventory.
//
//	read.go     YAML into entries; every mistake with its place
//	check.go    what the values of an entry may be
//	warn.go     what has no effect, or is hardly meant
//	match.go    which entry fits a Node
//	source.go   the file in its last version without mistakes (cloud.Inventory)
package inventory
