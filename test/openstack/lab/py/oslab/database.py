"""Makes SQLAlchemy and oslo.db cheaper: half of the lab's CPU time was theirs.

Relationships with lazy='subquery' build a new statement at every load, for
which SQLAlchemy 1.4 has no cache; 'selectin' gives the same objects from cached
statements, as later releases of neutron have it.  And oslo.db asks the server
whether it is there before every use of a connection; this one is.
"""
from oslo_db.sqlalchemy import engines
from sqlalchemy.orm import interfaces
from sqlalchemy.orm import strategies

SUBQUERY = (('lazy', 'subquery'),)


def mend():
    """To be called before models are mapped and engines made."""
    for kinds in interfaces.StrategizedProperty._all_strategies.values():
        if SUBQUERY in kinds:
            kinds[SUBQUERY] = strategies.SelectInLoader
    engines._connect_ping_listener = lambda connection, branch: None
