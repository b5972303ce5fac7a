// Package cloudconf reads the file of --cloud-config in the format of upstream CCMs: sections
// with keys, as the library gcfg has them. A provider declares each key once, with its doc, its
// default and the variable its value goes to; reading and documentation follow from that.
//
// Whatever upstream accepts is accepted. Keys that nobody reads are warnings, values that are
// not right are errors, and all of them are reported at once, without a secret in the text.
package cloudconf
