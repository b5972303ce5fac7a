package hcloud

// location is where things are.
type location struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Country     string  `json:"country"`
	City        string  `json:"city"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	NetworkZone string  `json:"network_zone"`
}

func (l *location) id() int64 { return l.ID }

var locations = func() store[*location] {
	s := newStore[*location]()
	for _, l := range []location{
		{1, "fsn1", "Falkenstein DC Park 1", "DE", "Falkenstein", 50.47612, 12.370071, "eu-central"},
		{2, "nbg1", "Nuremberg DC Park 1", "DE", "Nuremberg", 49.452102, 11.076665, "eu-central"},
		{3, "hel1", "Helsinki DC Park 1", "FI", "Helsinki", 60.169855, 24.938379, "eu-central"},
		{4, "ash", "Ashburn, VA", "US", "Ashburn, VA", 39.045821, -77.487073, "us-east"},
		{5, "hil", "Hillsboro, OR", "US", "Hillsboro, OR", 45.54222, -122.951924, "us-west"},
		{6, "sin", "Singapore", "SG", "Singapore", 1.283333, 103.833333, "ap-southeast"},
	} {
		s.put(&l)
	}
	return s
}()

// locationNamed returns nil when there is none of that name.
func locationNamed(name string) *location {
	for _, l := range locations.all {
		if l.Name == name {
			return l
		}
	}
	return nil
}

var locationList = listing[*location]{
	name: "locations",
	order: map[string]func(a, b *location) int{
		"id": by((*location).id), "name": by(func(l *location) string { return l.Name }),
	},
	nameOf: func(l *location) string { return l.Name },
}

func listLocations(c *call) (reply, error) {
	return locationList.answer(c, locations.all, func(l *location) any { return l })
}

func getLocation(c *call) (reply, error) {
	l, err := found(c, locations, "location")
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"location": l}}, nil
}
