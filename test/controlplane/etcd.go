package controlplane

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// database is etcd on Unix sockets in the control plane's directory: no port is needed and no
// other user can connect.
type database struct {
	dir     string
	process *process.Process
}

func (d *database) start(ctx context.Context, binary string) (err error) {
	peer := "unix://" + filepath.Join(d.dir, "peer.sock")
	d.process, err = process.Start(process.Spec{Dir: d.dir, Path: binary, Args: []string{
		"--name=test",
		"--data-dir=" + d.data(),
		"--listen-client-urls=" + d.url(),
		"--advertise-client-urls=" + d.url(),
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=test=" + peer,
		"--log-level=warn",
		// Nothing here has to survive a power cut.
		"--unsafe-no-fsync",
	}})
	if err != nil {
		return err
	}
	return WaitReady(ctx, d.process, d.healthy)
}

// data is the folder with all that there is.
func (d *database) data() string { return filepath.Join(d.dir, "etcd") }

// copyData takes the data of Options.Copy over. Its etcd stands still meanwhile, so that the files are those of one moment, as a crash
// would leave them.
func (cp *ControlPlane) copyData() error {
	from := cp.opts.Copy
	if from == nil {
		return nil
	}
	from.etcd.process.Signal(syscall.SIGSTOP)
	defer from.etcd.process.Signal(syscall.SIGCONT)
	if err := os.CopyFS(cp.etcd.data(), os.DirFS(from.etcd.data())); err != nil {
		return fmt.Errorf("copy the data of etcd: %w", err)
	}
	return os.Chmod(cp.etcd.data(), 0o700)
}

func (d *database) socket() string { return filepath.Join(d.dir, "etcd.sock") }

func (d *database) url() string { return "unix://" + d.socket() }

func (d *database) healthy(ctx context.Context) error {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", d.socket())
		},
	}
	return getOK(ctx, &http.Client{Transport: transport}, "http://etcd/health")
}

// probeTimeout bounds one health check.
const probeTimeout = 5 * time.Second

// getOK returns nil when a GET of url answers 200.
func getOK(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("probe %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	return fmt.Errorf("%s answers %s: %s", url, response.Status, body)
}
