"""Runs moto, mended, on the Unix socket whose path is the only argument."""

import collections
import functools
import os
import signal
import sys
import threading

# Read when moto is imported. The default images are a megabyte of JSON for every account.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
os.environ["MOTO_DISABLE_GLOBAL_CORS"] = "true"

from moto import backends  # noqa: E402
from moto.core import responses  # noqa: E402
from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import make_server  # noqa: E402

import classic  # noqa: E402, F401
import compute  # noqa: E402, F401
import network  # noqa: E402, F401
import speed  # noqa: E402, F401


# What does not change while moto runs, and what it finds out anew for every request.
modules = list(backends.list_of_moto_modules())
backends.list_of_moto_modules = lambda: modules
responses.method_names_from_class = functools.cache(responses.method_names_from_class)
DomainDispatcherApplication.get_backend_for_host = functools.cache(DomainDispatcherApplication.get_backend_for_host)


class Quiet(MotoRequestHandler):
    """Keeps connections, and logs only what is written to standard error."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


class OneByOne(DomainDispatcherApplication):
    """Answers one request at a time, in the order in which they come: moto looks first and changes then, and AWS does both at once."""

    def __init__(self):
        super().__init__(create_backend_app)
        self.lock = threading.Lock()
        self.busy = False
        self.waiting = collections.deque()  # a lock alone lets anybody be the next

    def __call__(self, environ, start_response):
        self.enter()
        try:
            return super().__call__(environ, start_response)
        finally:
            self.leave()

    def enter(self):
        with self.lock:
            if not self.busy:
                self.busy = True
                return
            turn = threading.Event()
            self.waiting.append(turn)
        turn.wait()

    def leave(self):
        with self.lock:
            if self.waiting:
                self.waiting.popleft().set()
            else:
                self.busy = False


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    make_server("unix://" + sys.argv[1], 0, OneByOne(), threaded=True, request_handler=Quiet).serve_forever()
