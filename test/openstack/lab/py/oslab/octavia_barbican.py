"""Octavia sets a secret's ACL with the user's own token.

To let itself read a TLS container octavia 11.0.0 has keystone make a second
token from the user's.  Keystones with the fix against widened delegation, such
as Debian's 22.0.2, refuse that for the token of an application credential, and
the listener is refused with "Could not retrieve certificate".  The first token
has the scope already, so it is used as it is.
"""
from barbicanclient import client
from keystoneauth1 import session
from keystoneauth1 import token_endpoint
from octavia.certificates.common.auth import barbican_acl

ENDPOINT = 'http://127.0.0.1:9311/v1'


def mend():
    def get_barbican_client_user_auth(cls, context):
        auth = token_endpoint.Token(ENDPOINT, context.auth_token)
        return client.Client(session=session.Session(auth=auth))

    barbican_acl.BarbicanACLAuth.get_barbican_client_user_auth = classmethod(
        get_barbican_client_user_auth)
