#!/usr/bin/python3
"""Creates the databases and brings their schemas up.

usage: databases.py create
       databases.py keystone PASSWORD     also makes the first account
       databases.py placement|glance|neutron|nova|octavia|barbican
"""
import os
import sys

import pymysql

HOME = os.environ.get('OSLAB_HOME', '/var/lib/openstack-lab')
ETC = HOME + '/etc'
DATABASES = ('keystone', 'placement', 'glance', 'neutron', 'nova', 'nova_api',
             'nova_cell0', 'octavia', 'barbican')


def create():
    db = pymysql.connect(unix_socket=HOME + '/run/mysqld.sock', user='root')
    for name in DATABASES:
        db.cursor().execute('CREATE DATABASE IF NOT EXISTS %s '
                            'CHARACTER SET utf8mb3' % name)


def _fresh(name, *conf):
    """The command line that a project's own *-manage program would get."""
    sys.argv = [name, '--config-file', ETC + '/' + conf[0]] + list(conf[1:])


def keystone():
    # db_sync and bootstrap parse the command line into a global: two processes
    password = sys.argv[2]
    from keystone.cmd import manage
    if os.fork() == 0:
        _fresh('keystone-manage', 'keystone.conf', 'db_sync')
        manage.main()
        os._exit(0)
    if os.wait()[1]:
        sys.exit('keystone db_sync failed')
    url = 'http://127.0.0.1:5000/v3'
    _fresh('keystone-manage', 'keystone.conf', 'bootstrap',
           '--bootstrap-password', password,
           '--bootstrap-admin-url', url, '--bootstrap-internal-url', url,
           '--bootstrap-public-url', url, '--bootstrap-region-id', 'RegionOne')
    manage.main()


def placement():
    _fresh('placement-manage', 'placement.conf', 'db', 'sync')
    from placement.cmd import manage
    sys.exit(manage.main())


def glance():
    _fresh('glance-manage', 'glance-api.conf', 'db_sync')
    from glance.cmd import manage
    sys.exit(manage.main())


def octavia():
    _fresh('octavia-db-manage', 'octavia.conf', 'upgrade', 'head')
    from octavia.db.migration import cli
    sys.exit(cli.main())


def neutron():
    _fresh('neutron-db-manage', 'neutron.conf', 'upgrade', 'heads')
    from neutron.db.migration import cli
    sys.exit(cli.main())


def nova():
    import nova.monkey_patch                       # noqa: F401  (first!)
    from nova import config
    config.parse_args(['nova-manage', '--config-file', ETC + '/nova.conf'])
    from nova.cmd import manage
    from nova import objects
    objects.register_all()
    if manage.ApiDbCommands().sync():
        sys.exit('nova api_db sync failed')
    cells = manage.CellV2Commands()
    cells.map_cell0()
    if manage.DbCommands().sync():
        sys.exit('nova db sync failed')
    cells.create_cell(name='cell1')


def barbican():
    from oslo_config import cfg
    cfg.find_config_files = lambda *args, **kw: [ETC + '/barbican.conf']
    sys.argv = ['barbican-db-manage', 'upgrade']
    from barbican.cmd import db_manage
    db_manage.main()


if __name__ == '__main__':
    globals()[sys.argv[1]]()
