import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DomainSnapshots } from '../../../controller/status-pages/public/snapshots/domain-snapshots.ts';
import { createLog } from '../../../shared/log.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-domains-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const openSnapshots = () => new DomainSnapshots(dir, createLog('test', 'silent'));
const page = (subdomain: string, domain: string | null, verified = domain) =>
  ({ subdomain, custom_domain: domain, verified_domain: verified });

test('the next process knows the last domains of pages', async () => {
  const first = openSnapshots();
  expect(first.recall('status.acme.example')).toBeNull();
  first.save(page('acme', 'old.acme.example'));
  first.save(page('acme', 'status.acme.example'));
  first.save(page('gone', 'status.gone.example'));
  first.save(page('plain', null));
  first.save(page('unproven', 'status.unproven.example', null));
  first.remove('gone');
  await first.settled();
  const next = openSnapshots();
  const subdomains = ['status.acme.example', 'old.acme.example', 'status.gone.example', 'status.unproven.example']
    .map((domain) => next.recall(domain));
  expect(subdomains).toEqual(['acme', null, null, null]);
  next.save(page('acme', 'status.acme.example', 'other.acme.example'));
  await next.settled();
  expect(openSnapshots().recall('status.acme.example')).toBeNull();
});

test.each(['', '{', '{"v":2,"domains":{}}', '{"v":1,"domains":[1]}'])('treats a file with %j as missing', async (text) => {
  writeFileSync(join(dir, 'domains'), text);
  const snapshots = openSnapshots();
  expect(snapshots.recall('status.acme.example')).toBeNull();
  snapshots.save(page('acme', 'status.acme.example'));
  await snapshots.settled();
  expect(openSnapshots().recall('status.acme.example')).toBe('acme');
});
