"""Takes from octavia 11.0.0 what costs most and nobody here needs.

Each thing read from the database brings the whole graph around it along, by
some forty queries, each of which took a connection from the pool, used it and
rolled back; now they are one transaction.  And every new amphora has a key and
a certificate of its own made, for a connection that no amphora here accepts:
now all have the same.
"""
import functools

from octavia.certificates.generator import local
from octavia.db import base_models
from sqlalchemy import orm


def mend():
    base = base_models.OctaviaBase
    base.to_data_model = _in_one_transaction(base.to_data_model)
    local.LocalCertGenerator.generate_cert_key_pair = _once(
        local.LocalCertGenerator.generate_cert_key_pair)


def _in_one_transaction(original):
    def to_data_model(self, _graph_nodes=None):
        session = orm.object_session(self)
        if session is None or session.in_transaction():
            return original(self, _graph_nodes)
        # What was read stays read, as it did without a transaction.
        expire, session.expire_on_commit = session.expire_on_commit, False
        try:
            with session.begin():
                return original(self, _graph_nodes)
        finally:
            session.expire_on_commit = expire
    return to_data_model


def _once(original):
    @functools.lru_cache(maxsize=None)
    def made():
        return original(cn='amphora', validity=365 * 86400)

    def generate_cert_key_pair(cls, cn, validity, *args, **kwargs):
        return made()
    return classmethod(generate_cert_key_pair)
