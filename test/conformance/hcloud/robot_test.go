package hcloud_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	emulatorrobot "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

// inMemory hands requests to the emulators without a network, so that time can be a test's own.
type inMemory struct{ server *emulator.Server }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	if strings.HasSuffix(m.server.Robot.URL(), r.URL.Host) {
		m.server.Robot.ServeHTTP(answer, r)
	} else {
		m.server.ServeHTTP(answer, r)
	}
	return answer.Result(), nil
}

// limited returns the machines behind the kernel's transport and decorators.
func limited(t *testing.T, server *emulator.Server, values map[string]string) cloud.Instances {
	t.Helper()
	d := hcloud.Descriptor()
	limited := transport.New(inMemory{server}, transport.Options{Cloud: "hcloud", Limits: d.Limits, API: hcloud.API, Throttled: hcloud.Throttled})
	driver, err := hcloud.New(t.Context(), configured(limited, values))
	if err != nil {
		t.Fatal(err)
	}
	return run.Decorate(driver, run.Options{Descriptor: d}).Instances
}

// A dedicated server whose Node is not Ready is read all the time. That does not use up Robot's limit: the list
// stays whole.
func TestRobotIsAskedSeldom(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(1)
	server.Robot.Seed(2)
	synctest.Test(t, func(t *testing.T) {
		machines := limited(t, server, robots(variables(server)))
		for begin := time.Now(); time.Since(begin) < 2*time.Hour; time.Sleep(33 * time.Second) {
			if found, err := machines.Get(t.Context(), "robot-2000001"); err != nil || len(found) != 1 {
				t.Fatalf("after %v: %v, %v", time.Since(begin), found, err)
			}
			if list, err := machines.List(t.Context()); err != nil || !list.Complete || len(list.Items) != 3 {
				t.Fatalf("after %v: %+v, %v", time.Since(begin), list, err)
			}
		}
		if n := len(server.Robot.Requests()); n > 80 {
			t.Errorf("%d requests to Robot in two hours", n)
		}
	})
}

// Where Robot's limit is used up all the same, nobody who waits for cloud servers waits for it.
func TestListDoesNotWaitForRobot(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(3)
	seeded := server.Robot.Seed(90)
	synctest.Test(t, func(t *testing.T) {
		machines := limited(t, server, robots(variables(server)))
		for _, machine := range seeded[:80] {
			if _, err := machines.Get(cloud.WithPriority(t.Context(), cloud.PriorityNodeInit), cloud.InstanceID("robot-"+strconv.FormatInt(machine.Number, 10))); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now()
		list, err := machines.List(t.Context())
		if err != nil || list.Complete || len(list.Items) != 3 || time.Since(begin) > 5*time.Second {
			t.Errorf("after %v: complete %t, %d machines, %v", time.Since(begin), list.Complete, len(list.Items), err)
		}
	})
}

// Robot counts reads of power states apart: they take nothing of the limit of the list, and when theirs is used up the list
// is read on.
func TestPowerStatesHaveTheirOwnLimit(t *testing.T) {
	for name, limit := range map[string]int{"there are enough": emulatorrobot.PublishedResetLimit, "they are used up": 5} {
		t.Run(name, func(t *testing.T) {
			server, _ := start(t, emulator.Options{})
			server.SeedMachines(3)
			seeded := server.Robot.Seed(70)
			synctest.Test(t, func(t *testing.T) {
				server.Robot.SetLimits(emulatorrobot.PublishedServerLimit, limit)
				machines := limited(t, server, robots(variables(server)))
				for n, machine := range seeded {
					_, err := machines.Get(t.Context(), cloud.InstanceID("robot-"+strconv.FormatInt(machine.Number, 10)))
					if err != nil && (n < limit || cloud.FailureOf(err).Class != cloud.FailureThrottled) {
						t.Fatalf("the power state of server %d: %v", n, err)
					}
					if n == limit {
						break
					}
				}
				begin := time.Now()
				list, err := machines.List(t.Context())
				if err != nil || !list.Complete || len(list.Items) != 73 || time.Since(begin) > time.Second {
					t.Errorf("after %v: complete %t, %d machines, %v, %v", time.Since(begin), list.Complete, len(list.Items), list.Err, err)
				}
			})
		})
	}
}

// A login that does not work any more is tried once, whichever of Robot's limits a request counts to.
func TestLoginThatWorkedBefore(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.Robot.Seed(1)
	synctest.Test(t, func(t *testing.T) {
		machines := limited(t, server, robots(variables(server)))
		get := func() cloud.Class {
			_, err := machines.Get(t.Context(), "robot-2000001")
			return cloud.FailureOf(err).Class
		}
		server.Robot.AddFault(fault.Fault{Path: "/reset/*", Status: http.StatusInternalServerError})
		if class := get(); class != cloud.FailureTransient { // the server is known from now on, and not its power state
			t.Fatalf("without an answer: %s", class)
		}
		server.Robot.ClearFaults()
		server.Robot.SetLogin("robot-user", "another")
		server.Robot.ResetTraffic()
		for range 5 {
			if class := get(); class != cloud.FailureUnauthorized {
				t.Errorf("a read: %s", class)
			}
			if list, err := machines.List(t.Context()); err != nil || list.Complete {
				t.Errorf("a list: %+v, %v", list, err)
			}
			time.Sleep(time.Minute)
		}
		if n := len(server.Robot.Requests()); n != 1 {
			t.Errorf("%d wrong logins", n)
		}
	})
}

// A wrong login is tried once in ten minutes, because three lock the address; the right one works at once.
func TestWrongLogin(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(3)
	server.Robot.Seed(2)
	synctest.Test(t, func(t *testing.T) {
		values := robots(variables(server))
		values["ROBOT_PASSWORD"] = "wrong"
		machines := limited(t, server, values)
		for begin := time.Now(); time.Since(begin) < 9*time.Minute; time.Sleep(33 * time.Second) {
			if list, err := machines.List(t.Context()); err != nil || list.Complete || len(list.Items) != 3 {
				t.Fatalf("%+v, %v", list, err)
			}
			if _, err := machines.Get(t.Context(), "robot-2000001"); cloud.FailureOf(err).Class != cloud.FailureUnauthorized {
				t.Fatalf("a read: %v", err)
			}
		}
		if n := len(server.Robot.Requests()); n != 1 {
			t.Errorf("%d wrong logins", n)
		}
		values["ROBOT_PASSWORD"] = "robot-password"
		if list, err := machines.List(t.Context()); err != nil || !list.Complete || len(list.Items) != 5 {
			t.Errorf("with the right one: %+v, %v", list, err)
		}
	})
}
