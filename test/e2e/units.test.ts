import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { root } from '../root.mjs';

/** Of 100: systemd calls up to 20 safe, and up to 50 fine. */
const MAX_EXPOSURE = '20';
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-units-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.runIf(findPrograms('systemd-analyze', process.env).length > 0).each(['controller', 'probe'])('farwatch-%s', (role) => {
  const name = `farwatch-${role}.service`;

  test('systemd accepts the unit and rates its exposure as low', () => {
    const unit = join(dir, name);
    const text = readFileSync(join(root, 'deploy/systemd', name), 'utf8');
    // Only an installed program is accepted.
    writeFileSync(unit, text.replace('/opt/farwatch/node_modules/.bin/farwatch', process.execPath));
    const analyze = (...args: string[]) =>
      execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(analyze('verify', unit)).toBe('');
    analyze('security', '--offline=yes', `--threshold=${MAX_EXPOSURE}`, unit);
  });
});
