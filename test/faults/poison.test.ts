import { afterAll, beforeAll, expect } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { LAST_SEQ } from '../../shared/contracts/result.ts';
import { shardOf } from '../../shared/ids.ts';
import { Attack, droppedBatch, SHARDS } from './attack.ts';
import { fault } from './fault.ts';
import { checked } from './sender.ts';
import { until } from '../helpers/until.ts';

let attack: Attack;
beforeAll(async () => {
  attack = await Attack.start();
});
afterAll(() => attack?.stop());

/** The end of all numbers: a lane that stands there can go no further, and sums beyond it are not exact. */
const END = 2 ** 53 - 1;

fault('F49', 'a probe sends numbers and ranges that no sum can hold', async () => {
  await Promise.all(SHARDS.map(async (shard) => {
    await attack.send(shard, encodeBatch(droppedBatch('end', 1, END - 1)), 500);
    await attack.send(shard, encodeBatch(droppedBatch('end', END, END)), 500);
    const json = { v: 1, epoch: 'json', results: [{ seq: END }] };
    await attack.send(shard, JSON.stringify(json), 500);
    // The largest that is allowed, then a body that cannot be read behind a header that can.
    expect(await attack.send(shard, encodeBatch(droppedBatch('last', 1, LAST_SEQ - 1)))).toBe(LAST_SEQ - 1);
    const spoiled = encodeBatch(droppedBatch('last', LAST_SEQ, LAST_SEQ));
    spoiled[spoiled.length - 2] = 99;
    expect(await attack.send(shard, spoiled)).toBe(LAST_SEQ);
  }));
  await attack.expectUnharmed('poison');
  return `${SHARDS.length} shards attacked with 5 batches each; all of them take results, also after a restart`;
});

fault('F50', 'a probe sends a detail nested 40,000 deep', async () => {
  const id = await attack.bait('Bait');
  const shard = shardOf(id);
  const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`;
  const result = { ...checked(id, Date.now(), false), detail: {} };
  const bait = JSON.stringify({ v: 1, epoch: 'deep', engine: 'test', results: [result] });
  // Refused as unreadable, and the lane goes on behind it.
  expect(await attack.send(shard, bait.replace('"detail":{}', `"detail":${deep}`))).toBe(1);
  await until(async () => (await attack.documents('dead_letters', { reason: 'unreadable', shard })).length > 0);
  expect(await attack.metric('farwatch_listener_failures_total')).toBe(0);
  await attack.expectUnharmed('deep');
  return 'set aside as a dead letter; alerts of the shard go out';
});
