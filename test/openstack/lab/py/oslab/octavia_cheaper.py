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
from octavia.db import repositories
from sqlalchemy import orm


def mend():
    repository = repositories.BaseRepository
    repository.get = _in_one_transaction(repository.get, _given)
    repository.get_all = _in_one_transaction(repository.get_all, _given)
    base = base_models.OctaviaBase
    base.to_data_model = _in_one_transaction(base.to_data_model, _own)
    local.LocalCertGenerator.generate_cert_key_pair = _once(
        local.LocalCertGenerator.generate_cert_key_pair)


def _given(repository, session, *args):
    return session


def _own(model, *args):
    return orm.object_session(model)


def _in_one_transaction(original, session_of):
    def in_one_transaction(*args, **kwargs):
        session = session_of(*args)
        if (session is None or not session.autocommit or
                session.in_transaction()):
            return original(*args, **kwargs)
        # What was read stays read, as it does without a transaction.
        expire, session.expire_on_commit = session.expire_on_commit, False
        try:
            with session.begin():
                return original(*args, **kwargs)
        finally:
            session.expire_on_commit = expire
    return in_one_transaction


def _once(original):
    @functools.lru_cache(maxsize=None)
    def made():
        return original(cn='amphora', validity=365 * 86400)

    def generate_cert_key_pair(cls, cn, validity, *args, **kwargs):
        return made()
    return classmethod(generate_cert_key_pair)
