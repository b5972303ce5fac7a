"""Provider "ovn": the amphora driver with the refusals of the OVN provider.

OVN itself is not there, so the amphora driver does the work; what the OVN
provider answers with 501 is answered with 501 here.  The facts are those of
ovn_octavia_provider 3.0.0 (Zed), driver.py: layer 4 protocols only, one
algorithm, no allowed_cidrs, no other monitor address or port, no monitors but
TCP and UDP-CONNECT, no failover, flavors, availability zones or L7.
Timeouts, connection limits and headers it takes and does not heed, as OVN.
"""
import ipaddress

from octavia.api.drivers.amphora_driver.v2 import driver as amphora
from octavia_lib.api.drivers import data_models
from octavia_lib.api.drivers import exceptions

PROTOCOLS = ('TCP', 'UDP', 'SCTP')
ALGORITHMS = ('SOURCE_IP_PORT',)
MONITORS = ('TCP', 'UDP-CONNECT')


def given(value):
    return not isinstance(value, data_models.UnsetType) and value


def refuse(text, *args):
    message = 'OVN provider does not support ' + text % args
    raise exceptions.UnsupportedOptionError(
        user_fault_string=message, operator_fault_string=message)


class LabOvnDriver(amphora.AmphoraProviderDriver):

    def loadbalancer_create(self, loadbalancer):
        for listener in given(loadbalancer.listeners) or ():
            self._check_listener(listener)
            if given(listener.default_pool):
                self._check_tree(listener.default_pool)
        for pool in given(loadbalancer.pools) or ():
            self._check_tree(pool)
        super().loadbalancer_create(loadbalancer)

    def loadbalancer_failover(self, loadbalancer_id):
        refuse('loadbalancer failover')

    def _check_tree(self, pool):
        self._check_pool(pool)
        if given(pool.healthmonitor):
            self._check_monitor(pool.healthmonitor)
        for member in given(pool.members) or ():
            self._check_member(member)

    # --- listeners ---------------------------------------------------------
    def _check_listener(self, listener):
        if given(listener.protocol) and listener.protocol not in PROTOCOLS:
            refuse('%s protocol', listener.protocol)
        if given(listener.allowed_cidrs):
            refuse('allowed_cidrs option')

    def listener_create(self, listener):
        self._check_listener(listener)
        super().listener_create(listener)

    def listener_update(self, old_listener, new_listener):
        self._check_listener(new_listener)
        super().listener_update(old_listener, new_listener)

    # --- pools -------------------------------------------------------------
    def _check_pool(self, pool):
        if given(pool.protocol) and pool.protocol not in PROTOCOLS:
            refuse('%s protocol', pool.protocol)
        if given(pool.lb_algorithm) and pool.lb_algorithm not in ALGORITHMS:
            refuse('%s algorithm', pool.lb_algorithm)

    def _validate_pool_algorithm(self, pool):
        self._check_pool(pool)       # the amphora driver has other algorithms

    def pool_update(self, old_pool, new_pool):
        self._check_pool(new_pool)
        super().pool_update(old_pool, new_pool)

    # --- members -----------------------------------------------------------
    def _check_member(self, member):
        if given(member.monitor_address) or given(member.monitor_port):
            refuse('different member monitor address or port')

    def _check_family(self, member):
        pool = self.repositories.pool.get(
            amphora.db_apis.get_session(), id=member.pool_id)
        vip = pool.load_balancer.vip.ip_address
        if (ipaddress.ip_address(vip).version !=
                ipaddress.ip_address(member.address).version):
            refuse('mixing IPv4/IPv6')

    def member_create(self, member):
        self._check_member(member)
        self._check_family(member)
        super().member_create(member)

    def member_update(self, old_member, new_member):
        self._check_member(new_member)
        super().member_update(old_member, new_member)

    def member_batch_update(self, pool_id, members):
        # the real one skips such members and says so; none is changed here
        for member in members:
            self._check_member(member)
        super().member_batch_update(pool_id, members)

    # --- health monitors ---------------------------------------------------
    def _check_monitor(self, monitor):
        if given(monitor.type) and monitor.type not in MONITORS:
            refuse('%s health monitors', monitor.type)

    def health_monitor_create(self, healthmonitor):
        self._check_monitor(healthmonitor)
        super().health_monitor_create(healthmonitor)

    # --- what it lacks altogether ------------------------------------------
    def validate_flavor(self, flavor_dict):
        raise exceptions.NotImplementedError()

    def get_supported_flavor_metadata(self):
        raise exceptions.NotImplementedError()

    def validate_availability_zone(self, availability_zone_dict):
        raise exceptions.NotImplementedError()

    def get_supported_availability_zone_metadata(self):
        raise exceptions.NotImplementedError()

    def l7policy_create(self, l7policy):
        raise exceptions.NotImplementedError()

    def l7rule_create(self, l7rule):
        raise exceptions.NotImplementedError()
