package balancer

// DefaultTLSPolicy is what AWS gives to listeners of both kinds that terminate TLS and name no
// policy (CreateListener, SslPolicy; Elastic Load Balancing guide, "Predefined SSL security
// policies for Classic Load Balancers").
const DefaultTLSPolicy = PredefinedPolicy + "2016-08"

// PredefinedPolicy is how the names of AWS's own policies begin.
const PredefinedPolicy = "ELBSecurityPolicy-"
