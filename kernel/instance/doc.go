// Package instance answers what the rest of the kernel asks about machines: what they are (Metadata), whether
// they still exist (Exists), whether they are off (Shutdown), and which of a set are there (Lookup).
//
// Presence is cheap and comes from a shared list; absence is expensive and is proved. The
// list is read on demand, by one reader at a time, and never proves anything absent:
//
//	question          answered from                            what it may cost
//	metadata          a list up to metadata age                one list per status pass
//	 of an unlisted   one direct read, or a list when many     see reader.resolve
//	labels, at first  one read for hundreds of machines        once for each machine
//	exists, shutdown  a list or read up to state age           a list, or reads if cheaper
//	gone              two direct not-founds and more           see Inventory.Exists
//
// Both ages follow from the cloud's published limits (schedule): all reads together stay below
// a fifth of them on average. No lock is held during a call to the cloud.
package instance
