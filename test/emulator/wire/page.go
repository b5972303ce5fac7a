package wire

import (
	"net/http"
	"strconv"
)

// Page is the part of a list that a request asks for with page and per_page.
type Page struct{ Number, Size int }

// PageOf reads page and per_page. A page size over most counts as most; what is no positive number
// counts as absent.
func PageOf(r *http.Request, otherwise, most int) Page {
	query := r.URL.Query()
	return Page{
		Number: positive(query.Get("page"), 1),
		Size:   min(positive(query.Get("per_page"), otherwise), most),
	}
}

func positive(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// Bounds returns the half-open range of the page in a list of total elements.
func (p Page) Bounds(total int) (int, int) {
	if p.Number > total/p.Size+1 {
		return total, total
	}
	start := min((p.Number-1)*p.Size, total)
	return start, min(start+p.Size, total)
}

// Last is the number of the last page of a list of total elements; 0 when it is empty.
func (p Page) Last(total int) int { return (total + p.Size - 1) / p.Size }
