package proxy

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// FleetID is the id of the n-th instance of a fleet.
func FleetID(n int) string { return fmt.Sprintf("i-%017x", n) }

// one asks for the only instance there is: without a page and ids, which are the fleet's.
func one(asked url.Values) url.Values {
	asked = maps.Clone(asked)
	maps.DeleteFunc(asked, func(name string, _ []string) bool {
		return name == "MaxResults" || name == "NextToken" || strings.HasPrefix(name, "InstanceId.")
	})
	return asked
}

var (
	reservation = regexp.MustCompile(`(?s)<reservationSet>(.*)</reservationSet>`)
	instanceID  = regexp.MustCompile(`<instanceId>(i-[0-9a-f]+)</instanceId>`)
	topologies  = regexp.MustCompile(`(?s)<instanceSet>.*</instanceSet>`)
)

// multiply makes a page of the fleet of an answer with one instance.
func multiply(said []byte, call Call, count int) []byte {
	if call.Action == "DescribeInstanceTopology" {
		return topologies.ReplaceAll(said, []byte("<instanceSet/>"))
	}
	only, id := reservation.FindSubmatch(said), instanceID.FindSubmatch(said)
	if only == nil || id == nil {
		return said
	}
	numbers, more := fleetPage(call.Parameters, count)
	var page bytes.Buffer
	page.WriteString("<reservationSet>")
	for _, n := range numbers {
		page.Write(bytes.ReplaceAll(only[1], id[1], []byte(FleetID(n))))
	}
	page.WriteString("</reservationSet>")
	if more > 0 {
		fmt.Fprintf(&page, "<nextToken>%d</nextToken>", more)
	}
	return bytes.Replace(said, only[0], page.Bytes(), 1)
}

// fleetPage returns the numbers of the instances that are asked for, and where the next page
// begins, 0 where there is none.
func fleetPage(asked url.Values, count int) (numbers []int, more int) {
	for i := 1; asked.Has("InstanceId." + strconv.Itoa(i)); i++ {
		n, err := strconv.ParseInt(strings.TrimPrefix(asked.Get("InstanceId."+strconv.Itoa(i)), "i-"), 16, 64)
		if err == nil && int(n) < count {
			numbers = append(numbers, int(n))
		}
	}
	if asked.Has("InstanceId.1") {
		return numbers, 0
	}
	start, _ := strconv.Atoi(asked.Get("NextToken"))
	size, err := strconv.Atoi(asked.Get("MaxResults"))
	if err != nil {
		size = count
	}
	for n := start; n < min(start+size, count); n++ {
		numbers = append(numbers, n)
	}
	if start+size < count {
		more = start + size
	}
	return numbers, more
}
