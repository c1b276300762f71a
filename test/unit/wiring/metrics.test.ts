import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeActors } from '../../../controller/wiring/metrics.ts';

test('metrics show the figures of actors by kind', async () => {
  const registry = new Registry();
  const counts = { restarts: 0, refused: 2, slow: 3 };
  observeActors(registry, [
    { kind: 'shard', counts, mailboxDepth: 4 },
    { kind: 'destination_queue', counts: { restarts: 5, refused: 0, slow: 0 }, mailboxDepth: 0 },
  ]);
  await registry.metrics();
  counts.restarts = 1;
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('farwatch_'));
  expect(lines).toEqual([
    'farwatch_actor_restarts_total{actor="shard"} 1',
    'farwatch_actor_restarts_total{actor="destination_queue"} 5',
    'farwatch_actor_messages_refused_total{actor="shard"} 2',
    'farwatch_actor_messages_refused_total{actor="destination_queue"} 0',
    'farwatch_actor_messages_slow_total{actor="shard"} 3',
    'farwatch_actor_messages_slow_total{actor="destination_queue"} 0',
    'farwatch_actor_mailbox_depth{actor="shard"} 4',
    'farwatch_actor_mailbox_depth{actor="destination_queue"} 0',
  ]);
});
