// Package setting reads the environment variables.
package setting

import (
	"fmt"
	"net"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/static"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// Declared are the settings that users can make.
func Declared() []cloud.Setting {
	return []cloud.Setting{
		{Name: "SIM_ENDPOINT", Doc: "URL of the world to use. Without it a world is started inside this process, which forgets everything when the process ends.", Value: "endpoint"},
		{Name: "SIM_TOKEN", Secret: true, Doc: "Token the world asks for, if it does.", Value: "token", Key: "token"},
		{Name: "SIM_LISTEN", Default: "127.0.0.1:0", Doc: "Address on which the embedded world listens.", Value: "listen"},
		{Name: "SIM_MACHINES", Doc: "Machines of the embedded world: name=type@zone@address, separated by commas; all but the name is optional.", Value: "machines", Type: cloud.SettingList},
		{Name: "SIM_FORWARD", Default: "false", Doc: `"true" makes balancers of the embedded world carry TCP traffic.`, Value: "forward", Type: cloud.SettingBool},
		{Name: "SIM_STATIC", Default: "false", Doc: `"true" takes machines of new Nodes with the label ` + static.Label + `=true for ones that only their Node describes.`, Value: "static", Type: cloud.SettingBool},
	}
}

// Settings are the validated variables that are no secret.
type Settings struct {
	// Endpoint is the URL of a world, "" for an embedded one.
	Endpoint string
	// Listen and Machines are those of an embedded world, Forward says that it carries traffic.
	Listen, Machines string
	Forward          bool
	// Static says that there are machines which only their Node describes.
	Static bool
}

// Read validates the variables, and reports every problem at once.
func Read(lookup func(string) string) (Settings, error) {
	r := &cloud.SettingReader{Lookup: lookup}
	s := Settings{
		Endpoint: r.Text("SIM_ENDPOINT"), Listen: r.Text("SIM_LISTEN"), Machines: r.Text("SIM_MACHINES"), Forward: r.Bool("SIM_FORWARD"), Static: r.Bool("SIM_STATIC"),
	}
	if r.URL("SIM_ENDPOINT"); s.Endpoint != "" {
		return s, r.Err()
	}
	if err := world.CheckMachines(s.Machines); err != nil {
		r.Add(fmt.Errorf("SIM_MACHINES: %w", err))
	}
	if _, port, err := net.SplitHostPort(s.Listen); err != nil || !isPort(port) {
		r.Refuse("SIM_LISTEN", s.Listen, "want an address and a port, such as 127.0.0.1:8080")
	}
	return s, r.Err()
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// World returns the URL of the world to use, which it starts where none is given. It runs until the process ends.
func (s Settings) World() (string, error) {
	if s.Endpoint != "" {
		return s.Endpoint, nil
	}
	server, err := world.Embed(s.Listen, s.Machines, s.Forward)
	if err != nil {
		return "", fmt.Errorf("starting the embedded world (SIM_LISTEN): %w", err)
	}
	return server.URL, nil
}
