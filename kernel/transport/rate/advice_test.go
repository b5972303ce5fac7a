package rate

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

func TestReadAdvice(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	epoch := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }
	tests := map[string]struct {
		code    int
		headers map[string]string
		want    Advice
	}{
		"ok":                        {200, nil, Advice{}},
		"ok, remaining":             {200, map[string]string{"ratelimit-remaining": "4999"}, Advice{0, 4999, true}},
		"ok, retry-after":           {200, map[string]string{"retry-after": "7"}, Advice{}},
		"ok, none left":             {200, map[string]string{"ratelimit-remaining": "0", "ratelimit-reset": epoch(time.Hour)}, Advice{0, 0, true}},
		"429, seconds":              {429, map[string]string{"retry-after": "7"}, Advice{Pause: 7 * time.Second}},
		"429, date":                 {429, map[string]string{"retry-after": now.Add(9 * time.Second).Format(http.TimeFormat)}, Advice{Pause: 9 * time.Second}},
		"429, past date":            {429, map[string]string{"retry-after": now.Add(-time.Hour).Format(http.TimeFormat)}, Advice{Pause: time.Second}},
		"429, zero":                 {429, map[string]string{"retry-after": "0"}, Advice{Pause: time.Second}},
		"429, a year":               {429, map[string]string{"retry-after": "31536000"}, Advice{Pause: 5 * time.Minute}},
		"429, more than fits":       {429, map[string]string{"retry-after": "9223372036854775807"}, Advice{Pause: 5 * time.Minute}},
		"429, far date":             {429, map[string]string{"retry-after": now.Add(time.Hour).Format(http.TimeFormat)}, Advice{Pause: 5 * time.Minute}},
		"429, nothing":              {429, nil, Advice{Pause: time.Second}},
		"429, nonsense":             {429, map[string]string{"retry-after": "soon", "ratelimit-remaining": "-1"}, Advice{Pause: time.Second}},
		"429, hour used up":         {429, map[string]string{"ratelimit-remaining": "0", "ratelimit-reset": epoch(20 * time.Second)}, Advice{20 * time.Second, 0, true}},
		"429, hour used up, far":    {429, map[string]string{"ratelimit-remaining": "0", "ratelimit-reset": epoch(time.Hour)}, Advice{time.Minute, 0, true}},
		"429, reset of another one": {429, map[string]string{"ratelimit-remaining": "9", "ratelimit-reset": epoch(time.Hour)}, Advice{time.Second, 9, true}},
		"503":                       {503, nil, Advice{}},
		"503, retry-after":          {503, map[string]string{"retry-after": "3"}, Advice{Pause: 3 * time.Second}},
		"500, retry-after":          {500, map[string]string{"retry-after": "3"}, Advice{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			response := &http.Response{StatusCode: test.code, Header: http.Header{}}
			for key, value := range test.headers {
				response.Header.Set(key, value)
			}
			if got := ReadAdvice(response, now); got != test.want {
				t.Errorf("advice = %+v, want %+v", got, test.want)
			}
		})
	}
}

func FuzzReadAdvice(f *testing.F) {
	f.Add(429, "7", "0", "1767323045")
	f.Add(503, "Fri, 02 Jan 2026 03:04:05 GMT", "x", "")
	f.Add(429, "", "0", "-9223372036854775808")
	f.Add(429, "99999999999999999999", "1", "9223372036854775807")
	f.Fuzz(func(t *testing.T, code int, after, remaining, reset string) {
		response := &http.Response{StatusCode: code, Header: http.Header{
			"Retry-After": {after}, "Ratelimit-Remaining": {remaining}, "Ratelimit-Reset": {reset},
		}}
		a := ReadAdvice(response, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		if a.Pause < 0 || a.Pause > maxPause || a.Remaining < 0 || (code == 429 && a.Pause < defaultPause) {
			t.Errorf("advice = %+v", a)
		}
	})
}
