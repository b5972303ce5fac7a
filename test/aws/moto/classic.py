"""Classic load balancers: what moto does otherwise than AWS. README.md has the list."""

import re
import zlib

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.models import ec2_backends
from moto.elb import models
from moto.elb.exceptions import ELBClientError
from moto.elb.models import ELBBackend, FakeBackend, FakeHealthCheck, FakeListener, LoadBalancer
from moto.elb.policies import OtherPolicy
from moto.elb.responses import ELBResponse

from mend import MOST_TAGS, mend, refuser

refuse = refuser(ELBClientError)

# What AWS puts on a new listener that speaks TLS.
DEFAULT_POLICY = "ELBSecurityPolicy-2016-08"
SECURE = ("SSL", "HTTPS")
LAYERS = {"TCP": 4, "SSL": 4, "HTTP": 7, "HTTPS": 7}

# --- the balancer ---------------------------------------------------------------------------


@mend(models)
def register_certificate(account_id, region, arn_certificate, arn_user):
    """Any certificate is there, but those called missing; moto asks for real ones in ACM."""
    if "missing" in arn_certificate:
        refuse("CertificateNotFound", f"Server Certificate not found for the key: {arn_certificate}")


@mend(ELBBackend)
def get_load_balancer(self, load_balancer_name):
    """moto answers 500 for most changes of what is not there."""
    if load_balancer_name not in self.load_balancers:
        refuse("LoadBalancerNotFound", f"There is no ACTIVE Load Balancer named '{load_balancer_name}'")
    return self.load_balancers[load_balancer_name]


@mend(ELBBackend)
def describe_load_balancers(self, names):
    """moto answers the balancers it finds, in an order of its own."""
    if not names:
        return list(self.load_balancers.values())
    return [self.get_load_balancer(name) for name in names]


@mend(ELBBackend)
def create_load_balancer(self, name, zones, ports, scheme=None, subnets=None, security_groups=None):
    """The same again is the one that is there. Groups, subnets and ports are checked."""
    if not re.fullmatch("[a-zA-Z0-9]([a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?", name):
        refuse("ValidationError", f"LoadBalancer name {name} must contain 1 to 32 alphanumeric characters or hyphens")
    if not ports:
        refuse("ValidationError", "Listeners cannot be empty")
    check_groups(self, security_groups or [])
    places = check_subnets(self, subnets or [])
    lb = LoadBalancer(self.account_id, name, [], [], scheme, places[0].vpc_id if places else None, [], list(security_groups or []))
    if not lb.security_groups:
        refuse("ValidationError", "a security group has to be given in a test")
    place(lb, places)
    lb.dns_name = f"{'internal-' if scheme == 'internal' else ''}{name}-{zlib.crc32(name.encode())}.{self.region_name}.elb.amazonaws.com"
    add_listeners(self, lb, ports)
    first = lb.listeners[0]
    lb.health_check = FakeHealthCheck("5", "10", "2", "30", f"TCP:{first.instance_port}")
    twin = self.load_balancers.get(name)
    if twin and portrait(twin) != portrait(lb):
        refuse("DuplicateLoadBalancerName", f"The load balancer '{name}' already exists and it is configured with different parameters")
    return self.load_balancers.setdefault(name, lb)


def portrait(lb):
    return lb.scheme, sorted(lb.subnets), sorted(lb.security_groups), [str(l) + l.instance_protocol for l in lb.listeners]


def check_groups(self, ids):
    for one in ids:
        if ec2_backends[self.account_id][self.region_name].get_security_group_from_id(one) is None:
            refuse("InvalidSecurityGroup", f"One or more of the specified security groups do not exist: {one}")


def check_subnets(self, ids):
    known = ec2_backends[self.account_id][self.region_name].subnets
    found = [of_zone[i] for i in ids for of_zone in known.values() if i in of_zone]
    if len(found) != len(ids):
        refuse("SubnetNotFound", "One or more subnets were not found")
    if len({s.availability_zone for s in found}) != len(found):
        refuse("InvalidConfigurationRequest", "LoadBalancer cannot be attached to multiple subnets in the same Availability Zone")
    return found


def place(lb, subnets):
    lb.subnets = [s.id for s in subnets]
    lb.availability_zones = [s.availability_zone for s in subnets]


@mend(ELBBackend)
def attach_load_balancer_to_subnets(self, load_balancer_name, subnets):
    lb = self.get_load_balancer(load_balancer_name)
    place(lb, check_subnets(self, lb.subnets + [s for s in subnets if s not in lb.subnets]))
    return lb.subnets


@mend(ELBBackend)
def detach_load_balancer_from_subnets(self, load_balancer_name, subnets):
    lb = self.get_load_balancer(load_balancer_name)
    place(lb, check_subnets(self, [s for s in lb.subnets if s not in subnets]))
    return lb.subnets


@mend(ELBBackend)
def apply_security_groups_to_load_balancer(self, load_balancer_name, security_group_ids):
    lb = self.get_load_balancer(load_balancer_name)
    check_groups(self, security_group_ids)
    if not security_group_ids:
        refuse("ValidationError", "Security groups cannot be empty")
    lb.security_groups = security_group_ids


@mend(LoadBalancer)
def add_tag(self, key, value):
    if key not in self.tags and len(self.tags) >= MOST_TAGS:
        refuse("TooManyTags", "The quota for the number of tags has been reached")
    self.tags[key] = value


# --- listeners --------------------------------------------------------------------------------


@mend(FakeListener)
@property
def instance_protocol(self):
    """moto forgets it and answers the listener's."""
    return getattr(self, "to", self.protocol)


def add_listeners(self, lb, ports):
    """All of them or none."""
    fresh = [new_listener(self, lb, port) for port in ports]
    for listener in fresh:
        if listener is None:
            continue
        lb.listeners.append(listener)
        if listener.instance_port not in [b.instance_port for b in lb.backends]:
            lb.backends.append(FakeBackend(listener.instance_port))


def new_listener(self, lb, port):
    """None where the same is there."""
    protocol = port["Protocol"].upper()
    to = (port.get("InstanceProtocol") or ("HTTP" if LAYERS.get(protocol) == 7 else "TCP")).upper()
    if LAYERS.get(protocol) is None or LAYERS.get(protocol) != LAYERS.get(to):
        refuse("ValidationError", f"Listener protocol {protocol} and instance protocol {to} must be at the same layer")
    certificate = port.get("SSLCertificateId")
    if bool(certificate) != (protocol in SECURE):
        refuse("ValidationError", f"SSL certificate and protocol {protocol} do not go together")
    if certificate:
        register_certificate(self.account_id, self.region_name, certificate, lb.name)
    listener = FakeListener(port["LoadBalancerPort"], port["InstancePort"], protocol, certificate)
    listener.to = to
    if protocol in SECURE:
        add_policy(lb, OtherPolicy(DEFAULT_POLICY, "SSLNegotiationPolicyType", []))
        listener.policy_names = [DEFAULT_POLICY]
    for twin in lb.listeners:
        if int(twin.load_balancer_port) != int(listener.load_balancer_port):
            continue
        same = (twin.instance_port, twin.protocol, twin.to, twin.ssl_certificate_id) == (listener.instance_port, protocol, to, certificate)
        if not same:
            refuse("DuplicateListener", f"A listener already exists for {lb.name} with LoadBalancerPort {twin.load_balancer_port}, but with a different InstancePort, Protocol, or SSLCertificateId")
        return None
    return listener


@mend(ELBBackend)
def create_load_balancer_listeners(self, name, ports):
    add_listeners(self, self.get_load_balancer(name), ports)


@mend(ELBBackend)
def delete_load_balancer_listeners(self, name, ports):
    """moto doubles the others where several are deleted."""
    lb = self.get_load_balancer(name)
    lb.listeners = [l for l in lb.listeners if int(l.load_balancer_port) not in [int(p) for p in ports]]
    used = [l.instance_port for l in lb.listeners]
    lb.backends = [b for b in lb.backends if b.instance_port in used]


@mend(ELBBackend)
def set_load_balancer_listener_ssl_certificate(self, name, lb_port, ssl_certificate_id):
    listener = find_listener(self.get_load_balancer(name), lb_port)
    register_certificate(self.account_id, self.region_name, ssl_certificate_id, name)
    listener.ssl_certificate_id = ssl_certificate_id


def find_listener(lb, port):
    for listener in lb.listeners:
        if int(listener.load_balancer_port) == int(port):
            return listener
    refuse("ListenerNotFound", f"LoadBalancer does not have a listener on port {port}")


# --- policies ----------------------------------------------------------------------------------


def add_policy(lb, policy):
    if policy.policy_name not in [p.policy_name for p in lb.policies]:
        lb.policies.append(policy)


TYPES = ("SSLNegotiationPolicyType", "ProxyProtocolPolicyType", "BackendServerAuthenticationPolicyType", "PublicKeyPolicyType")


@mend(ELBBackend)
def create_load_balancer_policy(self, load_balancer_name, policy_name, policy_type_name, policy_attrs):
    """moto keeps quiet of one that is there."""
    lb = self.get_load_balancer(load_balancer_name)
    if policy_type_name not in TYPES:
        refuse("PolicyTypeNotFound", f"The specified policy type {policy_type_name} does not exist")
    if policy_name in [p.policy_name for p in lb.policies]:
        refuse("DuplicatePolicyName", f"Policy {policy_name} already exists")
    for attribute in policy_attrs:
        if attribute["AttributeName"] == "Reference-Security-Policy" and not attribute["AttributeValue"].startswith("ELBSecurityPolicy-"):
            refuse("InvalidConfigurationRequest", f"Reference policy {attribute['AttributeValue']} is not valid")
    lb.policies.append(OtherPolicy(policy_name, policy_type_name, policy_attrs))


@mend(ELBBackend)
def delete_load_balancer_policy(self, lb_name, policy_name):
    lb = self.get_load_balancer(lb_name)
    if policy_name in [n for part in [*lb.listeners, *lb.backends] for n in part.policy_names]:
        refuse("InvalidConfigurationRequest", f"You cannot delete policy {policy_name}: it is in use")
    lb.policies = [p for p in lb.policies if p.policy_name != policy_name]


def set_policies(lb, part, names):
    for name in names:
        if name not in [p.policy_name for p in lb.policies]:
            refuse("PolicyNotFound", f"There is no policy with name {name} for load balancer {lb.name}")
    part.policy_names = names


@mend(ELBResponse)
def set_load_balancer_policies_of_listener(self):
    lb = self.elb_backend.get_load_balancer(self._get_param("LoadBalancerName"))
    set_policies(lb, find_listener(lb, self._get_param("LoadBalancerPort")), self._get_param("PolicyNames", []))
    return EmptyResult()


@mend(ELBResponse)
def set_load_balancer_policies_for_backend_server(self):
    lb, port = self.elb_backend.get_load_balancer(self._get_param("LoadBalancerName")), self._get_int_param("InstancePort")
    for backend in lb.backends:
        if int(backend.instance_port) == port:
            set_policies(lb, backend, self._get_param("PolicyNames", []))
            return EmptyResult()
    refuse("InvalidConfigurationRequest", f"There is no listener with instance port {port}")


# --- instances -----------------------------------------------------------------------------------


@mend(LoadBalancer)
@property
def instance_ids(self):
    """Terminated ones leave by themselves."""
    known = [i for region in ec2_backends[self.account_id].values() for i in region.all_instances()]
    gone = {i.id for i in known if i.state == "terminated"}
    return [i for i in self.instance_sparse_ids if i not in gone]


def check_instances(self, ids):
    backend = ec2_backends[self.account_id][self.region_name]
    known = {i.id for i in backend.all_instances()}
    for one in ids:
        if one not in known:
            refuse("InvalidInstance", f"Could not find EC2 instance {one}.")


@mend(ELBResponse)
def register_instances_with_load_balancer(self):
    """moto registers twice, and what is not there or does not run (github.com/kubernetes/kubernetes/issues/74694); its answer is malformed."""
    lb, ids = self.elb_backend.get_load_balancer(self._get_param("LoadBalancerName")), [i["InstanceId"] for i in self._get_param("Instances", [])]
    check_instances(self.elb_backend, ids)
    for i in ec2_backends[self.elb_backend.account_id][self.elb_backend.region_name].all_instances():
        if i.id in ids and i.state != "running":
            refuse("InvalidInstance", f"EC2 instance {i.id} is not in running state.")
    lb.instance_sparse_ids += [i for i in ids if i not in lb.instance_sparse_ids]
    return ActionResult({"Instances": lb.instances})


@mend(ELBResponse)
def deregister_instances_from_load_balancer(self):
    lb, ids = self.elb_backend.get_load_balancer(self._get_param("LoadBalancerName")), [i["InstanceId"] for i in self._get_param("Instances", [])]
    check_instances(self.elb_backend, ids)
    lb.instance_sparse_ids = [i for i in lb.instance_sparse_ids if i not in ids]
    return ActionResult({"Instances": lb.instances})


# --- health check and attributes ------------------------------------------------------------------

TARGET = re.compile(r"(TCP|SSL):\d+|(HTTP|HTTPS):\d+/.*")
check = ELBBackend.configure_health_check


@mend(ELBBackend)
def configure_health_check(self, load_balancer_name, timeout, healthy_threshold, unhealthy_threshold, interval, target):
    limits = (timeout, 2, 60), (interval, 5, 300), (healthy_threshold, 2, 10), (unhealthy_threshold, 2, 10)
    if not TARGET.fullmatch(target) or any(not least <= int(n) <= most for n, least, most in limits):
        refuse("ValidationError", f"HealthCheck of {target} is not valid")
    if int(timeout) >= int(interval):
        refuse("ValidationError", "HealthCheck interval must be greater than timeout")
    self.get_load_balancer(load_balancer_name)
    return check(self, load_balancer_name, timeout, healthy_threshold, unhealthy_threshold, interval, target)


@mend(LoadBalancer)
@classmethod
def get_default_attributes(cls):
    return {
        "cross_zone_load_balancing": {"Enabled": False},
        "connection_draining": {"Enabled": False, "Timeout": 300},
        "access_log": {"Enabled": False},
        "connection_settings": {"IdleTimeout": 60},
        "additional_attributes": [("elb.http.desyncmitigationmode", "defensive")],
    }


@mend(ELBResponse)
def modify_load_balancer_attributes(self):
    """What is not named stays; moto adds an attribute each time. All of it or nothing."""
    lb = self.elb_backend.get_load_balancer(self._get_param("LoadBalancerName"))
    wanted = self._get_param("LoadBalancerAttributes", {})
    log, idle = wanted.get("AccessLog") or {}, (wanted.get("ConnectionSettings") or {}).get("IdleTimeout", 60)
    if log.get("Enabled") and (not log.get("S3BucketName") or log.get("EmitInterval", 60) not in (5, 60)):
        refuse("InvalidConfigurationRequest", "Access logs need a bucket, and an interval of 5 or 60")
    if not 1 <= int(idle) <= 4000:
        refuse("ValidationError", "IdleTimeout must be between 1 and 4000")
    fields = {"CrossZoneLoadBalancing": "cross_zone_load_balancing", "AccessLog": "access_log", "ConnectionSettings": "connection_settings"}
    for name, field in fields.items():
        if wanted.get(name):
            lb.attributes[field] = dict(wanted[name])
    if wanted.get("ConnectionDraining"):
        lb.attributes["connection_draining"] = {"Timeout": 300, **wanted["ConnectionDraining"]}
    if log.get("Enabled"):
        lb.attributes["access_log"] = {"EmitInterval": 60, "S3BucketPrefix": "", **log}
    more = dict(lb.attributes["additional_attributes"])
    more.update({a["Key"]: a["Value"] for a in wanted.get("AdditionalAttributes") or []})
    lb.attributes["additional_attributes"] = sorted(more.items())
    return ActionResult({"LoadBalancerName": lb.name, "LoadBalancerAttributes": lb.attributes})


mended_describe = ELBResponse.describe_tags


@mend(ELBResponse)
def describe_tags(self):
    if len(self._get_param("LoadBalancerNames", [])) > 20:
        refuse("ValidationError", "Cannot describe the tags of more than 20 load balancers")
    return mended_describe(self)
