"""What takes moto seconds where there are hundreds of instances and load balancers. Nothing here changes an answer."""

import re
import types
from xml.sax.saxutils import escape, quoteattr

from moto.core import parse, serialize
from moto.core.serialize import BaseXMLSerializer
from moto.elb.models import LoadBalancer

from mend import mend


# --- requests -------------------------------------------------------------------------------------


whole = parse.QueryParser._do_parse


@mend(parse.QueryParser)
def _do_parse(self, request_dict, shape):
    """Notes what the parameters begin with, so that moto need not look at all of them for each member of each list."""
    self.beginnings = {name[:end] for name in request_dict["values"] for end in (*dots(name), len(name))}
    return whole(self, request_dict, shape)


def dots(name):
    return [dot.start() for dot in re.finditer(r"\.", name)]


@mend(parse.QueryParser)
def _gonna_recurse(self, query_params, prefix):
    """moto compares parts of names too: Member.1 is a beginning of Member.10, which there is only after Member.1."""
    return prefix != "" and prefix not in self.beginnings


# --- answers --------------------------------------------------------------------------------------


class Instances(list):
    """The ids of the instances of a load balancer, which are most of a list of load balancers."""


@mend(LoadBalancer)
@property
def instances(self):
    return Instances({"InstanceId": one} for one in self.instance_ids)


one_by_one = BaseXMLSerializer._serialize_type_list


@mend(BaseXMLSerializer)
def _serialize_type_list(self, serialized, value, shape, key):
    if isinstance(value, Instances) and value:
        ids = "".join(f"<member><InstanceId>{escape(one['InstanceId'])}</InstanceId></member>" for one in value)
        return self._default_serialize(serialized, Written(f"<{key}>{ids}</{key}>"), shape, key)
    return one_by_one(self, serialized, value, shape, key)


class Written(str):
    """An element that is written already."""


def unparse(body, full_document, pretty, short_empty_elements):
    """The text of xmltodict, which goes through three layers for each element."""
    parts = ['<?xml version="1.0" encoding="utf-8"?>\n'] if full_document else []
    for name, value in body.items():
        write(parts, name, value)
    return "".join(parts)


def write(parts, name, value):
    if isinstance(value, (list, tuple)):
        for one in value:
            write(parts, name, one)
    elif isinstance(value, dict):
        attributes = "".join(f" {k[1:]}={quoteattr(str(v))}" for k, v in value.items() if k.startswith("@"))
        start = len(parts)
        for k, v in value.items():
            if k == "#text":
                parts.append(escape(text(v)))
            elif not k.startswith("@"):
                write(parts, k, v)
        if len(parts) == start:
            parts.append(f"<{name}{attributes}/>")
        else:
            parts.insert(start, f"<{name}{attributes}>")
            parts.append(f"</{name}>")
    elif isinstance(value, Written):
        parts.append(value)
    elif value is None or value == "":
        parts.append(f"<{name}/>")
    else:
        parts.append(f"<{name}>{escape(text(value))}</{name}>")


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


serialize.xmltodict = types.SimpleNamespace(unparse=unparse)
