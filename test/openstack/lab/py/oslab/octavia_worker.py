"""Octavia's worker, with two defects of 11.0.0 mended.

A fully populated create (listeners, pools and members in one POST) became
ACTIVE there, with all its children in PENDING_CREATE for ever:
ControllerWorker.run_flow calls func(*args) and hands the keyword arguments to
taskflow instead.  create_load_balancer passes the listeners by keyword, so it
ran the flow of an empty load balancer.  And the flow with listeners could not
run: one task requires a network configuration that no other provides.
Later releases of octavia do both as is done here.

And it often gets a message before the API has committed what it is about: then
it looks again after a tenth of a second instead of one.
"""
import tenacity

from octavia.common import constants
from octavia.controller.worker.v2 import controller_worker
from octavia.controller.worker.v2.flows import load_balancer_flows
from octavia.controller.worker.v2.tasks import amphora_driver_tasks
from octavia.controller.worker.v2.tasks import network_tasks


def mend():
    worker = controller_worker.ControllerWorker
    worker.run_flow = _with_keywords(worker.run_flow)
    for method in vars(worker).values():
        if hasattr(method, 'retry'):
            method.retry.wait = tenacity.wait_fixed(.1)
            method.retry.stop = tenacity.stop_after_attempt(600)
    flows = load_balancer_flows.LoadBalancerFlows
    flows._create_listeners_flow = _with_network_configuration(
        flows._create_listeners_flow)


def _with_keywords(original):
    def run_flow(self, func, *args, store=None, **kwargs):
        return original(self, lambda: func(*args, **kwargs), store=store)
    return run_flow


def _with_network_configuration(original):
    def create_listeners_flow(self):
        flows = []
        for part in original(self):
            if isinstance(part, amphora_driver_tasks.AmphoraePostNetworkPlug):
                flows.append(network_tasks.GetAmphoraeNetworkConfigs(
                    requires=constants.LOADBALANCER_ID,
                    provides=constants.AMPHORAE_NETWORK_CONFIG))
            flows.append(part)
        return flows
    return create_listeners_flow
