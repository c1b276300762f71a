import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import { evidence, MAX_EVIDENCE_BYTES, type EvidenceMessage } from '../../../shared/contracts/evidence.ts';
import { programFile } from '../../bundle.mjs';
import { natsVersions } from '../../helpers/nats-programs.ts';
import { until } from '../../helpers/until.ts';
import { lanesWhole, slotsWhole } from './controller-peer.ts';
import { Fixture } from './fixture.ts';

const SECRET = 'zebra-crossing-1';

let bundle = '';
let fixture: Fixture;
beforeAll(async () => {
  bundle = await programFile('probe');
});
beforeEach(async () => {
  fixture = await Fixture.open(bundle, natsVersions()[0] as ReturnType<typeof natsVersions>[number]);
});
afterEach(() => fixture.close());

/** Adds a monitor that sends a secret. */
function addMonitor(): Assignment {
  const [set] = fixture.add(1, () => {
    const spec = fixture.monitor().spec as HttpSpec;
    return { spec: { ...spec, url: `${fixture.target.url}/page`, headers: { Authorization: `Bearer ${SECRET}` } } };
  });
  return set as Assignment;
}

const messages = (): EvidenceMessage[] =>
  fixture.peer.evidence.map((bytes) => evidence.parse(JSON.parse(Buffer.from(bytes).toString())));

describe('evidence of a failed check', () => {
  test('arrives with the last good check and without secrets, once per outage, and delays no result', async () => {
    const { peer, target } = fixture;
    const monitor = addMonitor();
    target.respondWith({ body: `Welcome ${SECRET}`, headers: { 'Set-Cookie': 'session=abc' } });
    await fixture.enrol();
    await until(() => peer.results.some((result) => result.outcome === 'success'), { what: 'a success' });
    target.respondWith({
      status: 503, headers: { 'X-Echo': btoa(`ann:${SECRET}`), 'X-Big': 'x'.repeat(6000) },
      body: `Sorry ${SECRET} ${'y'.repeat(10_000)}`,
    });
    await until(() => messages().length >= 2, { what: 'evidence of the failure and of its recheck' });
    const failures = (): number => peer.results.filter((result) => result.outcome === 'failure').length;
    await until(() => failures() >= 5, { what: 'further failures' });
    expect(messages()).toHaveLength(2);
    for (const [at, message] of messages().entries()) {
      expect(message).toMatchObject({
        monitor_id: monitor.monitor_id, assignment_rev: 1, remote_address: '127.0.0.1', addresses: ['127.0.0.1'],
        status_line: 'HTTP/1.1 503 Service Unavailable', error: { type: 'status_code' },
        last_good: { status_line: 'HTTP/1.1 200 OK', body_excerpt: 'Welcome ***' },
      });
      expect(message.body_excerpt).toMatch(/^Sorry \*\*\* y+$/);
      expect(message.last_good?.headers).toContainEqual({ name: 'Set-Cookie', value: '***' });
      expect(peer.evidence[at]?.length).toBeLessThanOrEqual(MAX_EVIDENCE_BYTES);
      expect(peer.results.map((result) => result.started_at)).toContain(message.checked_at);
    }
    const raw = Buffer.concat(peer.evidence).toString();
    for (const form of [SECRET, btoa(SECRET).slice(4, -4), btoa(`ann:${SECRET}`)]) expect(raw).not.toContain(form);
    lanesWhole(peer);
    slotsWhole(peer, monitor);
  });

  test('waits for the connection', async () => {
    const { peer, target } = fixture;
    addMonitor();
    const probe = await fixture.enrol();
    await until(() => peer.results.some((result) => result.outcome === 'success'), { what: 'a success' });
    await peer.revoke(true);
    await until(() => probe.logged('NATS link down'), { what: 'the probe is cut off' });
    target.respondWith({ status: 500, body: 'gone meanwhile' });
    const before = target.countOf('/page');
    await until(() => target.countOf('/page') > before + 3, { what: 'failed checks' });
    expect(peer.evidence).toEqual([]);
    await peer.revoke(false);
    await until(() => messages().length >= 2, { what: 'the evidence' });
    expect(messages()[0]).toMatchObject({ body_excerpt: 'gone meanwhile', error: { type: 'status_code' } });
    await until(() => peer.results.some((result) => result.outcome === 'failure'), { what: 'the failures' });
    lanesWhole(peer);
  });
});
