"""Network load balancers: what moto does otherwise than AWS. README.md has the list."""

import hashlib
import ipaddress
import re

from moto.ec2.exceptions import EC2ClientError
from moto.elbv2 import models
from moto.elbv2.exceptions import ELBClientError
from moto.elbv2.models import ELBv2Backend, FakeAction, FakeHealthStatus, FakeLoadBalancer, FakeTargetGroup
from moto.elbv2.responses import ELBV2Response
from moto.elbv2.ssl_policies import SSL_POLICIES

from mend import MOST_TAGS, mend, paged, refuser

refuse = refuser(ELBClientError)

DEFAULT_POLICY = "ELBSecurityPolicy-2016-08"

# --- balancers ---------------------------------------------------------------------------------


@mend(models)
def register_certificate(account_id, region, arn_certificate, arn_user):
    """Any certificate is there, but those called missing; moto asks for real ones in ACM."""
    if "missing" in arn_certificate:
        refuse("CertificateNotFound", f"Certificate '{arn_certificate}' not found")


make = ELBv2Backend.create_load_balancer


@mend(ELBv2Backend)
def create_load_balancer(self, name, security_groups, subnet_ids, subnet_mappings=None, scheme=None, loadbalancer_type=None, ip_address_type="ipv4", tags=None):
    """The same again is the one that is there; moto makes another. Everything is checked first."""
    scheme = scheme or "internet-facing"
    if len(name) > 32 or not re.fullmatch("[a-zA-Z0-9](-?[a-zA-Z0-9])*", name) or name.startswith("internal-"):
        refuse("ValidationError", f"The load balancer name '{name}' is not valid")
    places = check_places(self, subnet_ids, subnet_mappings or [], scheme, ip_address_type)
    check_groups(self, security_groups)
    wanted = sorted(p["SubnetId"] for p in places), sorted(security_groups), scheme, ip_address_type, loadbalancer_type
    for twin in self.load_balancers.values():
        if twin.name == name:
            if twin.born != wanted:
                refuse("DuplicateLoadBalancerName", f"A load balancer with the same name '{name}' exists, but with different settings")
            return twin
    check_tags({}, tags)
    lb = make(self, name, security_groups, [p["SubnetId"] for p in places], None, scheme, loadbalancer_type, ip_address_type, tags)
    lb.born, lb.mappings = wanted, places
    part = hashlib.sha256(lb.arn.encode()).hexdigest()[:16]
    lb.dns_name = f"{name}-{part}.elb.{self.region_name}.amazonaws.com"
    lb.attrs = {
        "access_logs.s3.enabled": "false",
        "access_logs.s3.bucket": "",
        "access_logs.s3.prefix": "",
        "deletion_protection.enabled": "false",
        "dns_record.client_routing_policy": "any_availability_zone",
        "ipv6.deny_all_igw_traffic": "false",
        "load_balancing.cross_zone.enabled": "false",
        "secondary_ips.auto_assigned.per_subnet": "0",
        "zonal_shift.config.enabled": "false",
    }
    return lb


def check_groups(self, ids):
    for one in ids:
        if self.ec2_backend.get_security_group_from_id(one) is None:
            refuse("InvalidSecurityGroup", f"The security group '{one}' does not exist")


def check_places(self, subnet_ids, mappings, scheme, family):
    """Subnets as mappings, each with its fields; moto keeps only the subnets."""
    places = [{"SubnetId": s} for s in subnet_ids] + [dict(m) for m in mappings]
    zones = set()
    for one in places:
        try:
            subnet = self.ec2_backend.get_subnet(one["SubnetId"])
        except EC2ClientError:
            refuse("SubnetNotFound", f"The subnet ID '{one['SubnetId']}' does not exist")
        if subnet.availability_zone in zones:
            refuse("InvalidConfigurationRequest", "A load balancer cannot be attached to multiple subnets in the same Availability Zone")
        zones.add(subnet.availability_zone)
        if family == "dualstack" and not subnet.ipv6_cidr_block_associations:
            refuse("InvalidSubnet", f"Subnet '{one['SubnetId']}' must have associated IPv6 CIDR blocks")
        check_addresses(self, one, subnet, scheme)
    if not places:
        refuse("ValidationError", "A subnet must be specified")
    return places


def check_addresses(self, one, subnet, scheme):
    if one.get("AllocationId"):
        if scheme == "internal":
            refuse("InvalidConfigurationRequest", "Elastic IPs are not supported for load balancers with scheme 'internal'")
        found = [e for e in self.ec2_backend.describe_addresses() if e.allocation_id == one["AllocationId"]]
        if not found:
            refuse("AllocationIdNotFound", f"The allocation IDs '{one['AllocationId']}' do not exist")
        one["IpAddress"] = found[0].public_ip
    if one.get("PrivateIPv4Address"):
        if scheme != "internal":
            refuse("InvalidConfigurationRequest", "Private IPv4 addresses are only supported for load balancers with scheme 'internal'")
        if ipaddress.ip_address(one["PrivateIPv4Address"]) not in ipaddress.ip_network(subnet.cidr_block):
            refuse("InvalidConfigurationRequest", f"{one['PrivateIPv4Address']} is not in the subnet {subnet.id}")


@mend(FakeLoadBalancer)
@property
def availability_zones(self):
    """With the addresses that were asked for; moto forgets them."""
    zones = {s.id: s.availability_zone for s in self.subnets}
    fields = ("IpAddress", "AllocationId", "PrivateIPv4Address", "IPv6Address")
    return [
        {
            "ZoneName": zones[m["SubnetId"]],
            "SubnetId": m["SubnetId"],
            "LoadBalancerAddresses": [a] if (a := {k: m[k] for k in fields if m.get(k)}) else [],
        }
        for m in self.mappings
    ]


@mend(ELBv2Backend)
def set_subnets(self, arn, subnets, subnet_mappings):
    """One zone is enough for a network load balancer; moto wants two."""
    lb = get_balancer(self, arn)
    lb.mappings = check_places(self, subnets, subnet_mappings, lb.scheme, lb.ip_address_type)
    lb.subnets = [self.ec2_backend.get_subnet(m["SubnetId"]) for m in lb.mappings]
    return lb.availability_zones


@mend(ELBv2Backend)
def set_ip_address_type(self, arn, ip_type):
    lb = get_balancer(self, arn)
    if ip_type not in ("ipv4", "dualstack"):
        refuse("ValidationError", f"'{ip_type}' must be ipv4 or dualstack")
    check_places(self, [], lb.mappings, lb.scheme, ip_type)
    lb.ip_address_type = ip_type


@mend(ELBv2Backend)
def set_security_groups(self, arn, sec_groups):
    """A network load balancer has groups from its beginning or never."""
    lb = get_balancer(self, arn)
    check_groups(self, sec_groups)
    if lb.type == "network" and not lb.security_groups:
        refuse("InvalidConfigurationRequest", "You cannot set security groups on a load balancer that was created without")
    if not sec_groups:
        refuse("ValidationError", "At least one security group must be specified")
    lb.security_groups = sec_groups


def get_balancer(self, arn):
    if arn not in self.load_balancers:
        refuse("LoadBalancerNotFound", f"Load balancer '{arn}' not found")
    return self.load_balancers[arn]


@mend(ELBv2Backend)
def describe_load_balancers(self, arns, names):
    """moto takes a balancer found before for one that is not there."""
    if len(arns or []) > 20 or len(names or []) > 20:
        refuse("ValidationError", "No more than 20 load balancers can be described by ARN or name")
    for lb in self.load_balancers.values():
        lb.activate()
    by_name = {lb.name: lb for lb in self.load_balancers.values()}
    if arns:
        return [get_balancer(self, arn) for arn in arns]
    for name in names or []:
        if name not in by_name:
            refuse("LoadBalancerNotFound", "One or more load balancers not found")
    return [by_name[n] for n in names] if names else list(self.load_balancers.values())


@mend(ELBv2Backend)
def delete_load_balancer(self, arn):
    lb = self.load_balancers.get(arn)
    if lb and lb.attrs["deletion_protection.enabled"] == "true":
        refuse("OperationNotPermitted", f"Load balancer '{arn}' cannot be deleted because deletion protection is enabled")
    self.load_balancers.pop(arn, None)


# --- listeners ---------------------------------------------------------------------------------

COMPATIBLE = {"TCP": {"TCP", "TCP_UDP"}, "TLS": {"TCP", "TLS"}, "UDP": {"UDP", "TCP_UDP"}, "TCP_UDP": {"TCP_UDP"}}
start = ELBv2Backend.create_listener


@mend(ELBv2Backend)
def create_listener(self, load_balancer_arn, protocol, port, ssl_policy, certificate, actions, alpn_policy=None, tags=None):
    lb = get_balancer(self, load_balancer_arn)
    check_port(lb, None, port)
    check_listener(self, lb, protocol, certificate, ssl_policy, actions)
    check_tags({}, tags)
    listener = start(self, load_balancer_arn, protocol, port, ssl_policy if protocol == "TLS" else None, certificate, actions, alpn_policy, tags)
    listener.more = []
    return listener


def check_port(lb, listener, port):
    """One listener for a port, whatever its protocol; moto takes any number."""
    if any(int(l.port) == int(port) for l in lb.listeners.values() if l is not listener):
        refuse("DuplicateListener", f"A listener already exists on this port for this load balancer '{lb.arn}'")


def check_listener(self, lb, protocol, certificate, policy, actions):
    if protocol not in COMPATIBLE:
        refuse("ValidationError", f"Listener protocol '{protocol}' must be one of {', '.join(COMPATIBLE)}")
    if protocol == "TLS" and not certificate:
        refuse("ValidationError", "A certificate must be specified for TLS listeners")
    if protocol != "TLS" and certificate:
        refuse("ValidationError", f"A certificate cannot be specified for {protocol} listeners")
    if protocol == "TLS" and policy not in SSL_POLICIES:
        refuse("SSLPolicyNotFound", f"SSL policy '{policy}' not found")
    if certificate:
        register_certificate(None, None, certificate, None)
    for arn in [a for action in actions for a in self._get_target_group_arns_from(FakeAction(action).data)]:
        if arn not in self.target_groups:
            refuse("TargetGroupNotFound", f"Target group '{arn}' not found")
        group = self.target_groups[arn]
        if group.protocol not in COMPATIBLE[protocol]:
            refuse("IncompatibleProtocols", f"Protocol '{protocol}' of the listener and '{group.protocol}' of the target group do not go together")
        if set(group.load_balancer_arns) - {lb.arn}:
            refuse("TargetGroupAssociationLimit", f"The target group '{arn}' is used by another load balancer")


@mend(ELBv2Backend)
def modify_listener(self, arn, port=None, protocol=None, ssl_policy=None, certificates=None, actions=None):
    """moto changes HTTP, HTTPS and TCP only."""
    listener = self.describe_listeners(None, [arn])[0]
    lb = self.load_balancers[listener.load_balancer_arn]
    protocol = protocol or listener.protocol
    check_port(lb, listener, port or listener.port)
    secure = protocol == "TLS"
    certificate = certificates[0]["CertificateArn"] if certificates else listener.certificate if secure else None
    policy = ssl_policy or listener.ssl_policy or DEFAULT_POLICY
    wanted = actions or [a.data for a in listener.default_actions]
    check_listener(self, lb, protocol, certificate, policy, wanted)
    listener.port, listener.protocol = port or listener.port, protocol
    listener.certificate, listener.certificates = certificate, [certificate] if certificate else []
    listener.ssl_policy = policy if secure else None
    listener.more = listener.more if secure else []
    if actions:
        listener.default_actions = [FakeAction(a) for a in actions]
        listener._default_rule[0].actions = listener.default_actions
    return listener


@mend(ELBv2Backend)
def add_listener_certificates(self, arn, certificates):
    """The default one is not among those that moto counts and shows."""
    listener = secure_listener(self, arn)
    for one in certificates:
        register_certificate(None, None, one["CertificateArn"], arn)
        if one["CertificateArn"] not in [listener.certificate, *listener.more]:
            listener.more.append(one["CertificateArn"])
    return listener.more


@mend(ELBv2Backend)
def remove_listener_certificates(self, arn, certificates):
    listener, arns = secure_listener(self, arn), [c["CertificateArn"] for c in certificates]
    if listener.certificate in arns:
        refuse("OperationNotPermitted", "The default certificate cannot be removed")
    listener.more = [c for c in listener.more if c not in arns]


@mend(ELBv2Backend)
def describe_listener_certificates(self, arn):
    listener = self.describe_listeners(None, [arn])[0]
    return [*listener.certificates, *listener.more]


def secure_listener(self, arn):
    listener = self.describe_listeners(None, [arn])[0]
    if listener.protocol != "TLS":
        refuse("InvalidConfigurationRequest", "Certificates are for TLS listeners")
    return listener


IDLE = "tcp.idle_timeout.seconds"


@mend(ELBv2Backend)
def describe_listener_attributes(self, listener_arn):
    """Those of network load balancers: an idle timeout where TCP comes in."""
    listener = self.describe_listeners(None, [listener_arn])[0]
    return {IDLE: getattr(listener, "idle", "350")} if "TCP" in listener.protocol else {}


@mend(ELBv2Backend)
def modify_listener_attributes(self, listener_arn, attrs):
    listener = self.describe_listeners(None, [listener_arn])[0]
    for one in attrs:
        if one["Key"] != IDLE or "TCP" not in listener.protocol:
            refuse("InvalidConfigurationRequest", f"Listener attribute key '{one['Key']}' is not supported for listeners of protocol '{listener.protocol}'")
        if not 60 <= int(one["Value"]) <= 6000:
            refuse("ValidationError", f"'{one['Value']}' is not valid for '{IDLE}'")
    listener.idle = attrs[-1]["Value"]
    return describe_listener_attributes(self, listener_arn)


# --- target groups ---------------------------------------------------------------------------------

group_up = ELBv2Backend.create_target_group
NETWORK = ("TCP", "UDP", "TCP_UDP", "TLS")
CHECKED = ("TCP", "HTTP", "HTTPS")


@mend(FakeTargetGroup)
@property
def load_balancer_arns(self):
    """Those whose listeners forward to it now; moto remembers all it ever knew."""
    backend = models.elbv2_backends[self.account_id][self.region_name]
    return [
        lb.arn
        for lb in backend.load_balancers.values()
        if any(self.arn in backend._get_target_group_arns_from(a.data) for l in lb.listeners.values() for a in l.default_actions)
    ]


# moto appends to it: nothing is to be kept.
FakeTargetGroup.load_balancer_arns = FakeTargetGroup.load_balancer_arns.setter(lambda self, arns: None)


@mend(ELBv2Backend)
def create_target_group(self, name, **wanted):
    """The same again is the one that is there. Defaults are those of network load balancers."""
    if wanted.get("protocol") not in NETWORK:
        refuse("ValidationError", f"'{wanted.get('protocol')}' is not a protocol of network load balancers")
    tags = wanted.pop("tags", None)
    check_tags({}, tags)
    protocol = wanted.get("healthcheck_protocol") or "TCP"
    wanted.update(healthcheck_protocol=protocol, healthcheck_interval_seconds=wanted.get("healthcheck_interval_seconds") or 30)
    wanted.update(healthy_threshold_count=wanted.get("healthy_threshold_count") or "5", unhealthy_threshold_count=wanted.get("unhealthy_threshold_count") or "2")
    wanted["healthcheck_timeout_seconds"] = wanted.get("healthcheck_timeout_seconds") or (6 if protocol == "HTTP" else 10)
    if protocol != "TCP":
        wanted.update(healthcheck_path=wanted.get("healthcheck_path") or "/", matcher=wanted.get("matcher") or {"HttpCode": "200-399"})
    elif wanted.get("healthcheck_path") or wanted.get("matcher"):
        refuse("ValidationError", "Health check path and matcher are not supported for health checks of protocol TCP")
    check_health(protocol, *(wanted[k] for k in ("healthcheck_interval_seconds", "healthcheck_timeout_seconds", "healthy_threshold_count", "unhealthy_threshold_count")))
    for twin in self.target_groups.values():
        if twin.name == name:
            if twin.born != repr(sorted(wanted.items())):
                refuse("DuplicateTargetGroupName", f"A target group with the same name '{name}' exists, but with different settings")
            return twin
    group = group_up(self, name, tags=tags, **wanted)
    group.born = repr(sorted(wanted.items()))
    if protocol == "TCP":
        group.matcher = None
    group.attributes = group_attributes(group)
    group.draining = {}
    return group


def group_attributes(group):
    keeps = group.target_type == "instance" or group.protocol in ("UDP", "TCP_UDP")
    return {
        "deregistration_delay.connection_termination.enabled": "false",
        "deregistration_delay.timeout_seconds": "300",
        "load_balancing.cross_zone.enabled": "use_load_balancer_configuration",
        "preserve_client_ip.enabled": str(keeps).lower(),
        "proxy_protocol_v2.enabled": "false",
        "stickiness.enabled": "false",
        "stickiness.type": "source_ip",
        "target_group_health.dns_failover.minimum_healthy_targets.count": "1",
        "target_group_health.dns_failover.minimum_healthy_targets.percentage": "off",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count": "1",
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage": "off",
        "target_health_state.unhealthy.connection_termination.enabled": "true",
        "target_health_state.unhealthy.draining_interval_seconds": "0",
    }


def check_health(protocol, interval, timeout, healthy, unhealthy):
    if protocol not in CHECKED:
        refuse("ValidationError", f"Health check protocol '{protocol}' must be one of {', '.join(CHECKED)}")
    for name, number, least, most in ("interval", interval, 5, 300), ("timeout", timeout, 2, 120), ("healthy threshold count", healthy, 2, 10), ("unhealthy threshold count", unhealthy, 2, 10):
        if not least <= int(number) <= most:
            refuse("ValidationError", f"Health check {name} '{number}' must be between {least} and {most}")
    if int(timeout) > int(interval):
        refuse("ValidationError", f"Health check timeout '{timeout}' must be smaller than or equal to the interval '{interval}'")


change = ELBv2Backend.modify_target_group


@mend(ELBv2Backend)
def modify_target_group(self, arn, proto=None, port=None, path=None, interval=None, timeout=None, healthy=None, unhealthy=None, codes=None, health_check_enabled=None):
    group = get_group(self, arn)
    protocol = proto or group.health_check_protocol
    if protocol == "TCP" and (path or codes):
        refuse("ValidationError", "Health check path and matcher are not supported for health checks of protocol TCP")
    check_health(
        protocol,
        interval or group.health_check_interval_seconds,
        timeout or group.health_check_timeout_seconds,
        healthy or group.healthy_threshold_count,
        unhealthy or group.unhealthy_threshold_count,
    )
    change(self, arn, proto, port, path, interval, timeout, healthy, unhealthy, None, health_check_enabled)
    if protocol == "TCP":
        group.health_check_path, group.matcher = None, None
    else:
        group.health_check_path = group.health_check_path or "/"
        group.matcher = {"HttpCode": codes} if codes else group.matcher or {"HttpCode": "200-399"}
    group.born = None  # whoever creates it with the settings of before asks for another one
    return group


def get_group(self, arn):
    if arn not in self.target_groups:
        refuse("TargetGroupNotFound", f"Target group '{arn}' not found")
    return self.target_groups[arn]


tune = ELBv2Backend.modify_target_group_attributes


@mend(ELBv2Backend)
def modify_target_group_attributes(self, target_group_arn, attributes):
    group = get_group(self, target_group_arn)
    for key, value in attributes.items():
        if key not in group.attributes:
            refuse("ValidationError", f"Target group attribute key '{key}' is not recognized")
        if key.endswith(".enabled") and value not in ("true", "false", "use_load_balancer_configuration"):
            refuse("ValidationError", f"'{value}' is not valid for '{key}'")
    if attributes.get("preserve_client_ip.enabled") == "false" and group.protocol in ("UDP", "TCP_UDP"):
        refuse("InvalidConfigurationRequest", f"Client IP preservation cannot be disabled for target groups with the {group.protocol} protocol")
    tune(self, target_group_arn, attributes)


@mend(ELBv2Backend)
def modify_load_balancer_attributes(self, arn, attrs):
    lb = get_balancer(self, arn)
    for key in attrs:
        if key not in lb.attrs:
            refuse("ValidationError", f"Load balancer attribute key '{key}' is not recognized")
    after = {**lb.attrs, **attrs}
    if after["access_logs.s3.enabled"] == "true" and not after["access_logs.s3.bucket"]:
        refuse("InvalidConfigurationRequest", "Access logs need a bucket")
    lb.attrs = after
    return after


@mend(ELBv2Backend)
def describe_target_groups(self, load_balancer_arn, target_group_arns, names):
    """None of a balancer is an empty list; moto says not found."""
    if sum(map(bool, (load_balancer_arn, target_group_arns, names))) > 1:
        refuse("ValidationError", "Only one of ARNs, names and load balancer can be specified")
    everything = sorted(self.target_groups.values(), key=lambda g: g.name)
    if load_balancer_arn:
        get_balancer(self, load_balancer_arn)
        return [g for g in everything if load_balancer_arn in g.load_balancer_arns]
    if target_group_arns:
        return [get_group(self, arn) for arn in target_group_arns]
    for name in names or []:
        if name not in [g.name for g in everything]:
            refuse("TargetGroupNotFound", "One or more target groups not found")
    return [g for g in everything if not names or g.name in names]


# --- targets ---------------------------------------------------------------------------------------


def key(group, target):
    return target["Id"], int(target.get("Port") or group.port)


@mend(ELBv2Backend)
def register_targets(self, target_group_arn, instances):
    """A target is an id and a port; to moto an id. All of them or none."""
    group = get_group(self, target_group_arn)
    states = {i.id: i for i in self.ec2_backend.all_instances()}
    for target in instances:
        if group.target_type == "ip":
            check_address(self, group, target["Id"])
        elif target["Id"] not in states or states[target["Id"]].vpc_id != group.vpc_id:
            refuse("InvalidTarget", f"The following targets are not in the target group VPC '{group.vpc_id}': '{target['Id']}'")
        elif states[target["Id"]].state != "running":
            refuse("InvalidTarget", f"The following targets are not in a running state and cannot be registered: '{target['Id']}'")
    for target in instances:
        group.draining.pop(key(group, target), None)
        group.targets[key(group, target)] = dict(target, Port=key(group, target)[1])


def check_address(self, group, address):
    vpc = self.ec2_backend.get_vpc(group.vpc_id)
    blocks = [a["cidr_block"] for six in (False, True) for a in vpc.get_cidr_block_association_set(ipv6=six)]
    if not any(ipaddress.ip_address(address) in ipaddress.ip_network(b) for b in blocks if b):
        refuse("ValidationError", f"The IP address '{address}' is not within the VPC '{group.vpc_id}'")
    if (":" in address) != (group.ip_address_type == "ipv6"):
        refuse("ValidationError", f"The IP address '{address}' is not of the type of the target group")


@mend(ELBv2Backend)
def deregister_targets(self, target_group_arn, instances):
    """What is not there is no error. In use it drains, until the end of the test."""
    group = get_group(self, target_group_arn)
    for target in instances:
        left = [k for k in group.targets if k == key(group, target) or "Port" not in target and k[0] == target["Id"]]
        for one in left:
            gone = group.targets.pop(one)
            if group.load_balancer_arns:
                group.draining[one] = gone


@mend(FakeTargetGroup)
def deregister_terminated_instances(self, instance_ids):
    for one in [k for k in self.targets if k[0] in instance_ids]:
        del self.targets[one]


@mend(ELBv2Backend)
def describe_target_health(self, target_group_arn, targets):
    group = get_group(self, target_group_arn)
    states = {i.id: i.state for i in self.ec2_backend.all_instances()}
    wanted = [key(group, t) for t in targets] or [*group.targets, *group.draining]
    return [health(group, states, one) for one in wanted]


def health(group, states, one):
    def say(*status):
        return FakeHealthStatus(one[0], one[1], group.health_check_port, *status)

    if one in group.draining:
        return say("draining", "Target.DeregistrationInProgress", "Target deregistration is in progress")
    if one not in group.targets:
        return say("unused", "Target.NotRegistered", "Target is not registered to the target group")
    if states.get(one[0]) == "stopped":
        return say("unused", "Target.InvalidState", "Target is in the stopped state")
    if not group.load_balancer_arns:
        return say("unused", "Target.NotInUse", "Target group is not configured to receive traffic from the load balancer")
    return say("healthy")


# --- tags and pages --------------------------------------------------------------------------------


def check_tags(existing, tags):
    if len({*existing, *(t["Key"] for t in tags or [])}) > MOST_TAGS:
        refuse("TooManyTags", "The maximum number of tags has been reached")


@mend(ELBv2Backend)
def add_tags(self, resource_arns, tags):
    for arn in resource_arns:
        self._get_resource_by_arn(arn)
        check_tags(self.tagging_service.get_tag_dict_for_resource(arn), tags)
    for arn in resource_arns:
        self.tagging_service.tag_resource(arn, tags)


@mend(ELBv2Backend)
def describe_tags(self, resource_arns):
    """moto has no tags of what is not there; AWS says so."""
    if len(resource_arns) > 20:
        refuse("ValidationError", "The tags of no more than 20 resources can be described")
    for arn in resource_arns:
        self._get_resource_by_arn(arn)
    return {arn: self.tagging_service.get_tag_dict_for_resource(arn) for arn in resource_arns}


for action, listed in {"describe_target_groups": "TargetGroups", "describe_listeners": "Listeners"}.items():
    paged(ELBV2Response, listed, action, size="PageSize", token="Marker", more="NextMarker")
