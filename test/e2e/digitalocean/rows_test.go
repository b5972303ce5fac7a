package digitalocean_test

import "maps"

// and returns annotations of a REGIONAL balancer, given in pairs without upstream's prefix.
func regional(pairs ...string) map[string]string {
	return with("type", append([]string{"REGIONAL"}, pairs...)...)
}

// with returns annotations, given in pairs without upstream's prefix.
func with(key string, pairs ...string) map[string]string {
	all := map[string]string{upstream + key: pairs[0]}
	for i := 1; i+1 < len(pairs); i += 2 {
		all[upstream+pairs[i]] = pairs[i+1]
	}
	return all
}

// plain is what a REGIONAL balancer does with the ports 80 and 443.
const plain = "80 tcp>tcp, 443 tcp>tcp"

// rows are the annotations with an effect that shows on one balancer, by their first name.
var rows = joined(nameRows, protocolRows, proxyRows, healthRows, accessRows, kernelRows)

// tested are the annotations with a test of their own, and where that is.
var tested = map[string]string{
	idKey:                          "TestAdoptByID",
	upstream + "type":              "TestImmutable",
	portable + "internal":          "TestImmutable",
	upstream + "network-stack":     "TestImmutable",
	portable + "subnet":            "TestImmutable",
	portable + "address":           "TestImmutable",
	portable + "allow-replacement": "TestImmutable",
	upstream + "algorithm":         "TestAlgorithm",
	portable + "firewall-managed":  "TestFirewallManaged",
	portable + "disown":            "TestDisown",
	portable + "retain":            "TestRetain",
	portable + "adopt":             "TestAdoptFromAnotherService",
	portable + "replacement":       "TestImmutable",
	portable + "creation":          "TestLostBalancer",
	portable + "duplicates":        "kernel/loadbalancer, TestMinuteOfADuplicateOutlivesTheProcess",
}

var nameRows = map[string]row{
	portable + "name": {
		sample: "{unique}", observe: name, want: "{unique}", absent: "{legacy}",
		bad: "web_1", says: "up to 255 letters",
	},
	// Without the annotation nobody manages the size: one set by hand has to survive.
	portable + "size": {
		sample: "3", observe: size, want: "3", absent: "1", stays: true,
		bad: "101", says: "between 1 and 100",
	},
	upstream + "size-slug": {
		sample: "lb-medium", observe: size, want: "3", absent: "1", stays: true,
		bad: "lb-huge", says: "lb-small, lb-medium, lb-large",
	},
}

var protocolRows = map[string]row{
	upstream + "protocol": {
		with: regional(), sample: "http", observe: rules, want: "80 http>http, 443 http>http", absent: plain,
		bad: "smtp", says: "tcp, http, https or http2",
	},
	upstream + "http-ports": {
		with: regional(), sample: "80", observe: rules, want: "80 http>http, 443 tcp>tcp", absent: plain,
		bad: "http", says: "port numbers",
	},
	portable + "tls-ports": {
		with: regional("certificate-id", "{certificate}"), sample: "80, 443", observe: rules,
		want: "80 https>http certificate, 443 https>http certificate", absent: "80 tcp>tcp, 443 https>http certificate",
		bad: "443,0", says: "port numbers",
	},
	upstream + "http2-ports": {
		with: regional("certificate-id", "{certificate}"), sample: "443", observe: rules,
		want: "80 tcp>tcp, 443 http2>http certificate", absent: "80 tcp>tcp, 443 https>http certificate",
		bad: "70000", says: "port numbers",
	},
	upstream + "http3-port": {
		with: regional("certificate-id", "{certificate}"), sample: "443", observe: rules,
		want: "80 tcp>tcp, 443 http3>http certificate, 443 https>http certificate", absent: "80 tcp>tcp, 443 https>http certificate",
		bad: "443,8443", says: "a whole number between 1 and 65535",
	},
	upstream + "tls-passthrough": {
		with: regional(), sample: "true", observe: rules, want: "80 tcp>tcp, 443 https>https passthrough", absent: plain,
		bad: "perhaps", says: `"true" or "false"`,
	},
	portable + "certificate": {
		with: regional(), sample: "{certificate}", observe: rules, want: "80 tcp>tcp, 443 https>http certificate", absent: plain,
		bad: "my certificate", says: "the UUID of a certificate",
	},
	upstream + "certificate-id": {
		with: regional(), sample: "{certificate}", observe: rules, want: "80 tcp>tcp, 443 https>http certificate", absent: plain,
		bad: "my certificate", says: "the UUID of a certificate",
	},
	upstream + "certificate-name": {
		with: regional(), sample: "web", observe: rules, want: "80 tcp>tcp, 443 https>http certificate", absent: plain,
		bad: "nobody-has-it", says: "there is no certificate of that name",
	},
	upstream + "disable-lets-encrypt-dns-records": {
		with: regional(), sample: "true", observe: noDNSRecords, want: "true", absent: "false",
		bad: "nope", says: `"true" or "false"`,
	},
}

var proxyRows = map[string]row{
	upstream + "redirect-http-to-https": {
		with: regional("certificate-id", "{certificate}", "http-ports", "80"), sample: "true", observe: redirect, want: "true", absent: "false",
		bad: "on", says: `"true" or "false"`,
	},
	portable + "proxy-protocol": {
		with: regional(), sample: "true", observe: proxyProtocol, want: "true", absent: "false",
		bad: "v2", says: `"true" or "false"`,
	},
	upstream + "enable-backend-keepalive": {
		with: regional(), sample: "1", observe: keepalive, want: "true", absent: "false",
		bad: "yes", says: `"true" or "false"`,
	},
	portable + "idle-timeout": {
		with: regional(), sample: "120", observe: idleTimeout, want: "120", absent: "60",
		bad: "29", says: "between 30 and 600",
	},
	upstream + "sticky-sessions-type": {
		with:   regional("sticky-sessions-cookie-name", "lb", "sticky-sessions-cookie-ttl", "300"),
		sample: "cookies", observe: sticky, want: "cookies lb 300", absent: "none",
		bad: "sugar", says: "none, cookies",
	},
	portable + "session-cookie": {
		with:   regional("sticky-sessions-cookie-ttl", "300"),
		beside: with("sticky-sessions-type", "cookies"),
		sample: "lb", observe: sticky, want: "cookies lb 300", absent: "none",
		bad: "x", says: "2 to 40 characters",
	},
	portable + "session-cookie-ttl": {
		with:   regional("sticky-sessions-cookie-name", "lb"),
		beside: with("sticky-sessions-type", "cookies"),
		sample: "600", observe: sticky, want: "cookies lb 600", absent: "none",
		bad: "0", says: "between 1 and 34650",
	},
}

// nodeHealth is the default check: kube-proxy's own.
const nodeHealth = "http 10256 /healthz"

var healthRows = map[string]row{
	portable + "health-check-interval": {
		sample: "10", observe: healthInterval, want: "10", absent: "3", bad: "2", says: "between 3 and 300",
	},
	portable + "health-check-timeout": {
		sample: "7", observe: healthTimeout, want: "7", absent: "5", bad: "301", says: "between 3 and 300",
	},
	portable + "health-check-unhealthy-threshold": {
		sample: "4", observe: healthUnhealthy, want: "4", absent: "3", bad: "11", says: "between 2 and 10",
	},
	portable + "health-check-healthy-threshold": {
		sample: "2", observe: healthHealthy, want: "2", absent: "5", bad: "two", says: "between 2 and 10",
	},
	upstream + "override-health-check": { // its presence counts, so there is no bad value
		sample: "false", observe: health, want: "tcp {port80}", absent: nodeHealth,
	},
	portable + "health-check-port": {
		with: with("override-health-check", "true"), sample: "443", observe: health, want: "tcp {port443}", absent: "tcp {port80}",
		bad: "8443", says: "a TCP port of the Service",
	},
	portable + "health-check-path": {
		with: with("override-health-check", ""), sample: "/ready", observe: health, want: "http {port80} /ready", absent: "tcp {port80}",
		bad: "ready", says: "begins with '/'",
	},
	portable + "health-check-protocol": {
		with: with("override-health-check", ""), sample: "https", observe: health, want: "https {port80} /", absent: "tcp {port80}",
		bad: "udp", says: "tcp, http, https",
	},
}

var accessRows = map[string]row{
	upstream + "allow-rules": {
		sample: "ip:198.51.100.7, cidr:203.0.113.9/24", observe: allowed, want: "cidr:203.0.113.0/24 ip:198.51.100.7",
		bad: "203.0.113.0/24", says: "ip:<address>",
	},
	portable + "source-ranges": {
		sample: "203.0.113.9/24", observe: allowed, want: "cidr:203.0.113.0/24",
		bad: "203.0.113.0", says: "a network such as",
	},
	upstream + "deny-rules": {
		sample: "cidr:2001:db8::/32", observe: refused, want: "cidr:2001:db8::/32",
		bad: "cidr:10.0.0.0/33", says: "cidr:<network>",
	},
}

var kernelRows = map[string]row{
	portable + "hostname": {
		sample: "WWW.example.com", status: ingress, want: "host www.example.com", absent: "ip VIP",
		bad: "no_host", says: "a host name",
	},
	portable + "ip-mode": {
		sample: "Proxy", status: ingress, want: "ip Proxy", absent: "ip VIP",
		bad: "Tunnel", says: "VIP, Proxy",
	},
	nodeSelector: {
		with: map[string]string{nodeSelector: ""}, sample: "nobody=here", observe: targets, want: "0 of the pool", absent: "3 of the pool",
		bad: "pool==(", says: "a label selector",
	},
}

func joined(tables ...map[string]row) map[string]row {
	all := map[string]row{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
