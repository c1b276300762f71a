import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DomainSnapshots } from '../../../controller/status-pages/public/domain-snapshots.ts';
import { createLog } from '../../../shared/log.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-domains-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = () => new DomainSnapshots(dir, createLog('test', 'silent'));
const page = (subdomain: string, domain: string | null, verified = domain) =>
  ({ subdomain, custom_domain: domain, verified_domain: verified });

test('the next start knows the domains of pages, as they were last', async () => {
  const first = open();
  expect(first.recall('status.acme.example')).toBeNull();
  first.keep(page('acme', 'old.acme.example'));
  first.keep(page('acme', 'status.acme.example'));
  first.keep(page('gone', 'status.gone.example'));
  first.keep(page('plain', null));
  first.keep(page('unproven', 'status.unproven.example', null));
  first.remove('gone');
  await first.settled();
  const next = open();
  const known = ['status.acme.example', 'old.acme.example', 'status.gone.example', 'status.unproven.example']
    .map((domain) => next.recall(domain));
  expect(known).toEqual(['acme', null, null, null]);
  next.keep(page('acme', 'status.acme.example', 'other.acme.example'));
  await next.settled();
  expect(open().recall('status.acme.example')).toBeNull();
});

test.each(['', '{', '{"v":2,"domains":{}}', '{"v":1,"domains":[1]}'])('a file with %j is as good as none', async (text) => {
  writeFileSync(join(dir, 'domains'), text);
  const snapshots = open();
  expect(snapshots.recall('status.acme.example')).toBeNull();
  snapshots.keep(page('acme', 'status.acme.example'));
  await snapshots.settled();
  expect(open().recall('status.acme.example')).toBe('acme');
});
