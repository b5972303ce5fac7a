package robot_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

// service is a server on a real socket with a clock that is set by hand.
type service struct {
	*robot.Server

	t   *testing.T
	now time.Time
}

func start(t *testing.T, options robot.Options) *service {
	t.Helper()
	s := &service{t: t, now: time.Unix(1_900_000_000, 0)}
	options.Now = func() time.Time { return s.now }
	s.Server = robot.New(options)
	if _, err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// get answers the status and the body of a call.
func (s *service) get(path, user, password string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL()+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth(user, password)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// refused insists on an error answer.
func (s *service) refused(path, password string, status int, code string) {
	s.t.Helper()
	got, text := s.get(path, "robot-user", password)
	var body struct {
		Error struct {
			Status, Interval int
			Code             string
		}
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil || got != status || body.Error.Status != status || body.Error.Code != code {
		s.t.Errorf("%s: %d %s, want %d %s", path, got, text, status, code)
	}
}

const good = "robot-password"

func TestServersAreRead(t *testing.T) {
	s := start(t, robot.Options{})
	s.refused("/server", good, 404, "SERVER_NOT_FOUND")
	seeded := s.Seed(2, func(m *robot.Machine) { m.DC = "NBG1-DC1" })
	s.Add(robot.Machine{Number: 7, Name: "bare", Operating: robot.ShutOff, Cancelled: true})
	var all []struct {
		Server struct {
			Number    int64   `json:"server_number"`
			Name      string  `json:"server_name"`
			IP        *string `json:"server_ip"`
			Net       *string `json:"server_ipv6_net"`
			DC        string  `json:"dc"`
			Cancelled bool    `json:"cancelled"`
		} `json:"server"`
	}
	status, text := s.get("/server", "robot-user", good)
	if err := json.Unmarshal([]byte(text), &all); err != nil || status != 200 || len(all) != 3 {
		t.Fatalf("%d %s", status, text)
	}
	if one := all[1].Server; one.Number != seeded[1].Number || one.Name != "metal-1" || *one.IP != seeded[1].IPv4 || *one.Net != seeded[1].IPv6Net || one.DC != "NBG1-DC1" {
		t.Errorf("a server: %s", text)
	}
	if bare := all[2].Server; bare.IP != nil || bare.Net != nil || !bare.Cancelled {
		t.Errorf("a server without addresses: %s", text)
	}
	if status, text = s.get("/server/7", "robot-user", good); status != 200 {
		t.Errorf("one server: %d %s", status, text)
	}
	var reset struct {
		Reset struct {
			Operating string `json:"operating_status"`
		} `json:"reset"`
	}
	if _, text = s.get("/reset/7", "robot-user", good); json.Unmarshal([]byte(text), &reset) != nil || reset.Reset.Operating != robot.ShutOff {
		t.Errorf("reset state: %s", text)
	}
	if err := s.Edit(7, func(m *robot.Machine) { m.NoReset = true }); err != nil {
		t.Fatal(err)
	}
	s.refused("/reset/7", good, 404, "RESET_NOT_AVAILABLE")
	if err := s.Remove(7); err != nil {
		t.Fatal(err)
	}
	s.refused("/server/7", good, 404, "SERVER_NOT_FOUND")
	s.refused("/nonsense", good, 404, "NOT_FOUND")
}

func TestThreeWrongLoginsBlock(t *testing.T) {
	s := start(t, robot.Options{})
	s.Seed(1)
	s.refused("/server", "wrong", 401, "UNAUTHORIZED")
	s.refused("/server", "wrong", 401, "UNAUTHORIZED")
	if status, _ := s.get("/server", "robot-user", good); status != 200 {
		t.Fatalf("after two wrong logins: %d", status)
	}
	for range 3 {
		s.refused("/server", "wrong", 401, "UNAUTHORIZED")
	}
	s.refused("/server", good, 401, "UNAUTHORIZED")
	s.now = s.now.Add(10 * time.Minute)
	if status, _ := s.get("/server", "robot-user", good); status != 200 {
		t.Errorf("after ten minutes: %d", status)
	}
}

func TestLimitsAreForbidden(t *testing.T) {
	s := start(t, robot.Options{ServerLimit: 2, ResetLimit: 1})
	number := s.Seed(1)[0].Number
	for range 2 {
		if status, _ := s.get("/server", "robot-user", good); status != 200 {
			t.Fatalf("within the limit: %d", status)
		}
	}
	s.refused("/server", good, 403, "RATE_LIMIT_EXCEEDED")
	path := "/reset/" + strconv.FormatInt(number, 10)
	if status, _ := s.get(path, "robot-user", good); status != 200 {
		t.Errorf("another call has its own limit: %d", status)
	}
	s.refused(path, good, 403, "RATE_LIMIT_EXCEEDED")
	s.now = s.now.Add(time.Hour)
	if status, _ := s.get("/server", "robot-user", good); status != 200 {
		t.Errorf("an hour later: %d", status)
	}
}
