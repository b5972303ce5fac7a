package proxy

import (
	"encoding/xml"
	"net/http"
	"strings"
)

// Error is the body of an error. It has the form of EC2 and that of all others at once: a
// client reads the one it knows.
func Error(code, message string) string {
	type fault struct{ Code, Message string }
	body := struct {
		XMLName   xml.Name `xml:"Response"`
		EC2       fault    `xml:"Errors>Error"`
		Others    fault    `xml:"Error"`
		RequestID string
	}{EC2: fault{code, message}, Others: fault{code, message}, RequestID: "proxy"}
	text, err := xml.Marshal(body)
	if err != nil {
		panic("encoding an error: " + err.Error())
	}
	return xml.Header + string(text)
}

// refuse answers with the error that AWS has for a status, or had, where its own status is
// another.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	call := called(r)
	w.Header().Set("Content-Type", "text/xml")
	// Too many requests have other statuses.
	if status == http.StatusTooManyRequests {
		status = http.StatusBadRequest
		if call.Service == Compute {
			status = http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(Error(code(call, http.StatusTooManyRequests), "Request limit exceeded.")))
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(Error(code(call, status), http.StatusText(status))))
}

// codes are AWS's words for statuses: those of EC2, and those of everybody else.
var codes = map[int][2]string{
	http.StatusBadRequest:          {"InvalidParameterValue", "ValidationError"},
	http.StatusUnauthorized:        {"AuthFailure", "InvalidClientTokenId"},
	http.StatusForbidden:           {"UnauthorizedOperation", "AccessDenied"},
	http.StatusConflict:            {"DependencyViolation", "ResourceInUse"},
	http.StatusUnprocessableEntity: {"InvalidParameterValue", "ValidationError"},
	http.StatusTooManyRequests:     {"RequestLimitExceeded", "Throttling"},
	http.StatusInternalServerError: {"InternalError", "InternalFailure"},
	http.StatusServiceUnavailable:  {"Unavailable", "ServiceUnavailable"},
}

func code(call Call, status int) string {
	if status == http.StatusNotFound {
		return missing(call)
	}
	pair, ok := codes[status]
	switch {
	case !ok:
		return "UnknownError"
	case call.Service == Compute:
		return pair[0]
	}
	return pair[1]
}

// missing is what the service says of something that is not there. STS has no word for it and
// says EC2's.
func missing(call Call) string {
	for _, of := range []struct{ service, part, code string }{
		{Compute, "SecurityGroup", "InvalidGroup.NotFound"},
		{Compute, "Route", "InvalidRouteTableID.NotFound"},
		{Classic, "", "LoadBalancerNotFound"},
		{Network, "Target", "TargetGroupNotFound"},
		{Network, "Listener", "ListenerNotFound"},
		{Network, "", "LoadBalancerNotFound"},
	} {
		if call.Service == of.service && strings.Contains(call.Action, of.part) {
			return of.code
		}
	}
	return "InvalidInstanceID.NotFound"
}
