// Package aws gives tests an AWS: the moto server in a process of its own, mended where it is
// not like AWS (README.md says where), and a World in it that a cluster can be in.
//
//	func TestMain(m *testing.M) { os.Exit(aws.Run(m, os.Getenv(aws.Switch))) }
//
//	w := aws.NewWorld(t, aws.WorldOptions{})
//	p := w.Proxy(t)
//	driver, err := providers.New(ctx, w.Config(t, aws.ConfigOptions{Proxy: p}))
//
// Every World is an account of its own, so tests can run at the same time.
package aws
