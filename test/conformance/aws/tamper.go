package aws

// TamperBalancer does what somebody with the API would.
func (c *Control) TamperBalancer(id, field string) bool { return false }
