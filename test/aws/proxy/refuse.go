package proxy

import (
	"encoding/xml"
	"net/http"
	"strings"
)

// Error is the body of an error, in the form of a service.
func Error(service, code, message string) string {
	type fault struct {
		Type    string `xml:",omitempty"`
		Code    string
		Message string
	}
	var body any
	if service == Compute {
		body = struct {
			XMLName   xml.Name `xml:"Response"`
			Error     fault    `xml:"Errors>Error"`
			RequestID string
		}{Error: fault{Code: code, Message: message}, RequestID: "proxy"}
	} else {
		body = struct {
			XMLName   xml.Name `xml:"ErrorResponse"`
			Error     fault
			RequestID string `xml:"RequestId"`
		}{Error: fault{Type: "Sender", Code: code, Message: message}, RequestID: "proxy"}
	}
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
		_, _ = w.Write([]byte(Error(call.Service, code(call, http.StatusTooManyRequests), "Request limit exceeded.")))
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(Error(call.Service, code(call, status), http.StatusText(status))))
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

// missing is what the service says of something that is not there.
func missing(call Call) string {
	of := func(part, code, other string) string {
		if strings.Contains(call.Action, part) {
			return code
		}
		return other
	}
	switch call.Service {
	case Compute:
		return of("SecurityGroup", "InvalidGroup.NotFound", of("Route", "InvalidRouteTableID.NotFound", of("Subnet", "InvalidSubnetID.NotFound", "InvalidInstanceID.NotFound")))
	case Classic:
		return "LoadBalancerNotFound"
	case Network:
		return of("Target", "TargetGroupNotFound", of("Listener", "ListenerNotFound", "LoadBalancerNotFound"))
	}
	return "NoSuchEntity"
}
