package hcloud

import "time"

// price is what a type costs in a location; the emulator's prices are invented.
type price struct {
	Location          string `json:"location"`
	PriceHourly       amount `json:"price_hourly"`
	PriceMonthly      amount `json:"price_monthly"`
	IncludedTraffic   int64  `json:"included_traffic"`
	PricePerTBTraffic amount `json:"price_per_tb_traffic"`
}

type amount struct {
	Net   string `json:"net"`
	Gross string `json:"gross"`
}

// prices are those of a type in all locations.
var prices = func() []price {
	var all []price
	for _, l := range locations.all {
		all = append(all, price{
			Location: l.Name, PriceHourly: amount{"0.0060", "0.0071"}, PriceMonthly: amount{"3.7900", "4.5101"},
			IncludedTraffic: 21_990_232_555_520, PricePerTBTraffic: amount{"1.0000", "1.1900"},
		})
	}
	return all
}()

// deprecation is that of a type.
type deprecation struct {
	Announced        time.Time `json:"announced"`
	UnavailableAfter time.Time `json:"unavailable_after"`
}

// null is a field that the emulator always answers null.
type null struct{}

// MarshalJSON implements json.Marshaler.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
