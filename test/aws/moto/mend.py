"""What the mends have in common. Each module replaces methods of moto's classes by its own."""

import traceback

from moto.core.responses import ActionResult, BaseResponse

# AWS allows 50 tags on everything here; moto takes 10.
MOST_TAGS = 50


def mend(*owners):
    """Puts a function in the place of the method of the same name."""

    def replace(function):
        for owner in owners:
            setattr(owner, getattr(function, "fget", function).__name__, function)
        return function

    return replace


def refuser(kind):
    """Makes the function that answers with an error of a service, which is of that kind."""

    def refuse(code, message):
        raise kind(code, message)

    return refuse


def paged(owner, key, *names, size="MaxResults", token="NextToken", more="NextToken"):
    """Makes actions of a response class, which answer everything, answer in pages."""
    for name in names:
        whole = getattr(owner, name)

        def page(self, whole=whole):
            answer = whole(self)
            limit = self._get_int_param(size)
            if not limit:
                return answer
            start = int(self._get_param(token) or 0)
            everything = list(answer.result[key])
            result = dict(answer.result, **{key: everything[start : start + limit]})
            result[more] = str(start + limit) if start + limit < len(everything) else None
            return ActionResult(result)

        setattr(owner, name, page)


act = BaseResponse.call_action


@mend(BaseResponse)
def call_action(self):
    """What moto fails of is told to the test, in place of a page of HTML."""
    try:
        return act(self)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"moto failed in {self._get_action()}: {error!r:.300} at {place.filename}:{place.lineno}"
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        said = f"<Error><Code>InternalFailure</Code><Message>{text}</Message></Error>"
        body = f"<Response><Errors>{said}</Errors></Response>" if self.service_name == "ec2" else f"<ErrorResponse>{said}</ErrorResponse>"
        return 500, {"Content-Type": "text/xml"}, body
