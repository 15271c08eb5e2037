"""What the drivers of the Python clients share. See ../README.md for what a driver is."""

import json
import sys


def read_plan():
    return json.load(sys.stdin)


def tell(**event):
    print(json.dumps(event), flush=True)


def plain(model):
    """What a client gave back, with the field names of the protocol."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Withheld(Exception):
    """A client refused to make a call, because its arguments do not fit the tool's schema."""


async def make_calls(plan, call):
    """Makes the calls of the plan. What a client throws is what a driver is here to tell."""
    for index, wanted in enumerate(plan["calls"]):
        try:
            result = await call(wanted["tool"], wanted["arguments"])
        except Withheld as error:
            tell(step="call", index=index, withheld=str(error))
        except Exception as error:
            tell(step="call", index=index, threw=f"{type(error).__name__}: {error}")
        else:
            tell(step="call", index=index, result=result)
    tell(step="closed")
