"""EC2: what moto does otherwise than AWS. README.md has the list."""

import copy
import hashlib
import re

from moto.core.responses import ActionResult
from moto.ec2.exceptions import DependencyViolationError, EC2ClientError, InvalidInstanceIdError
from moto.ec2.models import EC2Backend
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.models.elastic_network_interfaces import NetworkInterface
from moto.ec2.models.instances import Instance, InstanceBackend
from moto.ec2.models.route_tables import Route
from moto.ec2.models.security_groups import SecurityGroupRule
from moto.ec2.responses import EC2Response
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.security_groups import SecurityGroups
from moto.ec2.responses.tags import TagResponse
from moto.elb.models import elb_backends
from moto.elbv2.models import elbv2_backends

from mend import mend, paged, refuser

refuse = refuser(EC2ClientError)

# --- instances -----------------------------------------------------------------------------

@mend(TaggedEC2Resource)
def get_tags(self):
    """moto looks for them among the tags of everything, which takes minutes for 5,000 instances."""
    return [{"key": k, "value": v} for k, v in self.ec2_backend.tags.get(self.id, {}).items()]


given = Instance.private_dns_name.fget


@mend(Instance)
@property
def private_dns_name(self):
    """A tag of tests gives it, as the DHCP options and host names of a VPC do."""
    return {t["key"]: t["value"] for t in self.get_tags()}.get("test/private-dns-name") or given(self)


@mend(InstanceResponse)
def describe_instances(self):
    """Pages are of instances; moto's are of reservations, which may have a thousand."""
    ids, limit = self._get_param("InstanceIds", []), self._get_int_param("MaxResults")
    if ids and limit:
        refuse("InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults")
    if limit is not None and not 5 <= limit <= 1000:
        refuse("InvalidParameterValue", f"Value ( {limit} ) for parameter maxResults is invalid. Expecting a value between 5 and 1000.")
    filters = self._filters_from_querystring()
    if ids:
        check_ids(ids)
        reservations = self.ec2_backend.get_reservations_by_instance_ids(ids, filters=filters)
    else:
        reservations = self.ec2_backend.describe_instances(filters=filters)
    return ActionResult({"Reservations": [alone(r, i) for r in reservations for i in r.instances]})


def check_ids(ids):
    """AWS tells malformed ids from unknown ones."""
    for one in ids:
        if not re.fullmatch("i-([0-9a-f]{8}|[0-9a-f]{17})", one):
            refuse("InvalidInstanceID.Malformed", f'Invalid id: "{one}"')


def alone(reservation, instance):
    """The reservation with one of its instances."""
    part = copy.copy(reservation)
    part.instances = [instance]
    return part


@mend(InstanceResponse)
def describe_instance_topology(self):
    """Three layers, made of the zone; the types that have a topology are those of the pattern."""
    ids = self._get_param("InstanceIds", [])
    if ids:
        check_ids(ids)
        found = [i for r in self.ec2_backend.get_reservations_by_instance_ids(ids) for i in r.instances]
    else:
        found = self.ec2_backend.all_instances(self._filters_from_querystring())
    return ActionResult({"Instances": [topology(i) for i in found if i.state == "running" and PLACED.match(i.instance_type)]})


PLACED = re.compile(r"(hpc|trn|p|g)\d")


def topology(instance):
    zone = instance.availability_zone
    names = [zone, zone + "/spine", zone + "/leaf"]
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "AvailabilityZone": zone,
        "NetworkNodes": ["nn-" + hashlib.sha256(n.encode()).hexdigest()[:17] for n in names],
    }


paged(InstanceResponse, "Reservations", "describe_instances")
paged(InstanceResponse, "Instances", "describe_instance_topology")
paged(SecurityGroups, "SecurityGroups", "describe_security_groups")
for action, list_of in {
    "describe_subnets": "Subnets",
    "describe_route_tables": "RouteTables",
    "describe_network_interfaces": "NetworkInterfaces",
}.items():
    paged(EC2Response, list_of, action)

# --- what instances have ---


run = InstanceResponse.run_instances


@mend(InstanceResponse)
def run_instances(self):
    """Of very many at once only the ids are answered: the rest takes minutes."""
    answer = run(self)
    many = answer.result.instances
    return ActionResult({"Instances": [{"InstanceId": i.id} for i in many]}) if len(many) > 100 else answer


for name in "create_tags", "delete_tags":

    def checking(self, write=getattr(TagResponse, name)):
        """moto tags what is not there."""
        for one in self._get_param("Resources", []):
            if one.startswith("i-"):
                check_ids([one])
                self.ec2_backend.get_instance(one)
        return write(self)

    setattr(TagResponse, name, checking)


filter_value = NetworkInterface.get_filter_value
modify = InstanceBackend.modify_instance_attribute


@mend(NetworkInterface)
def get_filter_value(self, filter_name, method_name=None):
    if filter_name == "attachment.status":
        return "attached" if self.attachment_id else "detached"
    return filter_value(self, filter_name, method_name)


@mend(InstanceBackend)
def modify_instance_attribute(self, instance_id, key, value):
    """An instance's check is that of its first interface; moto has two."""
    instance = modify(self, instance_id, key, value)
    if key == "source_dest_check":
        instance.nics[0].source_dest_check = instance.source_dest_check
    return instance


end = InstanceBackend.terminate_instances


@mend(InstanceBackend)
def terminate_instances(self, instance_ids):
    """The interfaces go with their instances; moto keeps them."""
    ended = end(self, instance_ids)
    for eni in [e for e in self.enis.values() if e.instance and e.instance.id in instance_ids]:
        del self.enis[eni.id]
    return ended


# --- security groups -----------------------------------------------------------------------


@mend(SecurityGroups)
def delete_security_group(self):
    """AWS does not delete a group that is in use; moto does."""
    backend, group_id = self.ec2_backend, self._get_param("GroupId")
    group = backend.get_security_group_from_id(group_id)
    if group is None:
        refuse("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
    if group.name == "default":
        refuse("CannotDelete", f'the specified group: "{group_id}" name: "default" cannot be deleted by a user')
    if in_use(backend, group):
        raise DependencyViolationError(f"resource {group_id} has a dependent object")
    backend.delete_security_group(group_id=group_id)
    return ActionResult({"Return": True, "GroupId": group_id})


def in_use(backend, group):
    place = backend.account_id, backend.region_name
    classic = elb_backends[place[0]][place[1]].load_balancers.values()
    network = elbv2_backends[place[0]][place[1]].load_balancers.values()
    groups = [g for of_vpc in backend.groups.values() for g in of_vpc.values() if g.id != group.id]
    return (
        any(group.id in (lb.security_groups or []) for lb in [*classic, *network])
        or any(group.id in [g.id for g in eni.group_set] for eni in backend.enis.values())
        or any(r.source_group.get("GroupId") == group.id for g in groups for r in [*g.ingress_rules, *g.egress_rules])
    )


PROTOCOLS = {"tcp", "udp", "icmp", "icmpv6", "-1", "all"}
CIDR_DESCRIPTION = re.compile(r"[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{0,255}")


def checked(self):
    """The rules of a request, checked as AWS does before it changes anything."""
    for wanted in list(self._process_rules_from_querystring()):
        protocol = (wanted["ip_protocol"] or "").lower()
        if not wanted["security_rule_ids"]:
            if protocol not in PROTOCOLS and not protocol.isdigit():
                refuse("InvalidParameterValue", f"Invalid value '{protocol}' for IP protocol. Unknown protocol.")
            if protocol in ("tcp", "udp") and not 0 <= int(wanted["from_port"]) <= int(wanted["to_port"]) <= 65535:
                refuse("InvalidParameterValue", "Invalid port range")
        for source in [*wanted["ip_ranges"], *wanted["source_groups"]]:
            if not CIDR_DESCRIPTION.fullmatch(source.get("Description") or ""):
                refuse("InvalidParameterValue", "Invalid rule description")
        for source in wanted["ip_ranges"]:
            if ":" in source.get("CidrIp", ""):
                refuse("InvalidParameterValue", f"CIDR block {source['CidrIp']} is malformed")
        yield wanted


@mend(SecurityGroups)
def authorize_security_group_ingress(self):
    """All rules or none; moto adds those before the first it refuses."""
    group = self.ec2_backend.get_security_group_from_id(self._get_param("GroupId"))
    wanted, added = list(checked(self)), []
    before = list(group.ingress_rules) if group else []
    try:
        for one in wanted:
            added += self.ec2_backend.authorize_security_group_ingress(**one)[0]
    except Exception:
        if group:
            group.ingress_rules = before
        raise
    return ActionResult({"Return": True, "SecurityGroupRules": added})


@mend(SecurityGroups)
def revoke_security_group_ingress(self):
    group = self.ec2_backend.get_security_group_from_id(self._get_param("GroupId"))
    before = list(group.ingress_rules) if group else []
    try:
        for one in list(checked(self)):
            del one["sgrule_tags"]
            self.ec2_backend.revoke_security_group_ingress(**one)
    except Exception:
        if group:
            group.ingress_rules = before
        raise
    return ActionResult({"Return": True})


@mend(SecurityGroupRule)
def __eq__(self, other):
    """A rule is what it allows: its description is not part of it."""

    def allowed(rule):
        source = rule.ip_range.get("CidrIp") or rule.ip_range.get("CidrIpv6") or rule.source_group.get("GroupId")
        return rule.ip_protocol, rule.from_port, rule.to_port, source, rule.prefix_list_id

    return allowed(self) == allowed(other)


# --- routes ---------------------------------------------------------------------------------

create = EC2Backend.create_route


@mend(EC2Backend)
def create_route(self, route_table_id, destination_cidr_block, destination_ipv6_cidr_block=None, *args, instance_id=None, **rest):
    """AWS has one route to a destination, and none to an instance with several interfaces."""
    table = self.get_route_table(route_table_id)
    wanted = {destination_cidr_block or destination_ipv6_cidr_block}
    if wanted & {r.destination_cidr_block or r.destination_ipv6_cidr_block for r in table._routes.values()}:
        refuse("RouteAlreadyExists", f"The route identified by {wanted.pop()} already exists.")
    if instance_id:
        instance = self.get_instance_by_id(instance_id)
        if instance is None or instance.state == "terminated":
            raise InvalidInstanceIdError(instance_id)
        if len(instance.nics) > 1:
            refuse("InvalidInstanceID", f"There are multiple interfaces attached to instance '{instance_id}'. Please specify an interface ID for the operation instead.")
    return create(self, route_table_id, destination_cidr_block, destination_ipv6_cidr_block, *args, instance_id=instance_id, **rest)


@mend(Route)
@property
def state(self):
    return "blackhole" if self.instance and self.instance.state != "running" else "active"
