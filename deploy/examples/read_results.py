"""Prints an organization's raw results, up to an hour old, one JSON document per line.

    pip install 'nats-py[nkeys,aiohttp]'
    python3 deploy/examples/read_results.py subscription.json

subscription.json holds `data` of the response to `POST /api/subscriptions`. Printed results are acknowledged,
so the next run continues where this one stopped.
"""

import asyncio
import json
import sys

import nats
from nats.errors import TimeoutError as NatsTimeout


async def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        issued = json.load(file)
    subscription = issued["subscription"]
    organization = subscription["subjects"][0].split(".")[1]
    connection = await nats.connect(
        issued["nats_url"].split(","),
        nkeys_seed_str=issued["seed"],
        inbox_prefix=subscription["inbox_prefix"].encode(),
        max_reconnect_attempts=-1,
    )
    jetstream = connection.jetstream(domain=subscription["domain"])
    results = await jetstream.pull_subscribe_bind(
        subscription["consumer"], stream=subscription["stream"]
    )
    while True:
        try:
            messages = await results.fetch(500, timeout=5)
        except NatsTimeout:
            continue
        for message in messages:
            result = json.loads(message.data)
            # Other messages can be sent to this inbox too; see docs/nats.md.
            if result.get("organization_id") == organization:
                print(json.dumps(result), flush=True)
            await message.ack()


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "subscription.json"))
