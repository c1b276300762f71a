import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { resolve } from 'node:path';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plantTree, type PlantedTree } from './planted-tree.ts';

const run = promisify(execFile);
const CLI =
  resolve(import.meta.dirname, '../../../node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const FOLDERS = ['shared', 'controller', 'probe', 'deploy', 'test'];

const report = z.object({ summary: z.object({
  violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
}) });

/** [from, to, the rule that forbids it; null if it is allowed]. */
const planted: [from: string, to: string, rule: string | null][] = [
  ['shared/one.ts', 'controller/groups/any.ts', 'shared-stands-alone'],
  ['shared/two.ts', 'probe/any.ts', 'shared-stands-alone'],
  ['controller/three.ts', 'shared/actor/actor.ts', 'actors-behind-references'],
  ['controller/four.ts', 'shared/actor/actor-ref.ts', null],
  ['controller/four.ts', 'shared/actor/supervisor.ts', null],
  ['shared/actor/supervisor.ts', 'shared/actor/actor.ts', null],
  ['controller/one.ts', 'probe/any.ts', 'controller-and-probe-apart'],
  ['probe/one.ts', 'controller/any.ts', 'controller-and-probe-apart'],
  ['controller/two.ts', 'deploy/start.ts', 'nothing-needs-deploy'],
  ['probe/two.ts', 'test/helpers/until.ts', 'nothing-needs-test'],
  ['deploy/two.ts', 'test/helpers/until.ts', 'nothing-needs-test'],
  ['deploy/three.ts', 'controller/any.ts', 'deploy-needs-settings-only'],
  ['deploy/four.ts', 'controller/config.ts', null],
  ['deploy/five.ts', 'shared/any.ts', null],
  ['test/unit/one.test.ts', 'deploy/start.ts', null],
  ['test/unit/two.test.ts', 'controller/main.ts', null],
  ['controller/monitors/clock.ts', 'controller/main.ts', 'nothing-needs-main'],
  ['controller/monitors/parts.ts', 'controller/wiring/results.ts', 'nothing-needs-main'],
  ['probe/checks/parts.ts', 'probe/main.ts', 'nothing-needs-main'],
  ['probe/checks/wired.ts', 'probe/wiring/checks.ts', 'nothing-needs-main'],
  ['controller/wiring/results.ts', 'controller/monitors/store.ts', null],
  ['controller/wiring/results.ts', 'controller/platform/bus/bus.ts', null],
  ['controller/monitors/routes.ts', 'controller/monitors/verbs.ts', null],
  ['controller/monitors/routes.ts', 'controller/monitors/store.ts', 'routes-use-verbs'],
  ['controller/monitors/verbs.ts', 'controller/monitors/interval-rules.ts', null],
  ['controller/groups/verbs.ts', 'controller/monitors/routes.ts', 'verbs-know-no-edge'],
  ['controller/groups/verbs/move-group.ts', 'koa', 'verbs-know-no-edge'],
  ['controller/results/shards/one.ts', 'controller/results/state/one.ts', null],
  ['controller/results/state/two.ts', 'controller/results/shards/one.ts', 'results-state-looks-down'],
  ['controller/results/intake/three.ts', 'controller/results/clock/three.ts', 'results-intake-looks-down'],
  ['controller/results/reading/four.ts', 'controller/results/service.ts', 'results-reading-looks-down'],
  ['controller/results/feeds/nine.ts', 'controller/results/reading/four.ts', 'results-feeds-looks-down'],
  ['controller/results/shards/ten.ts', 'controller/results/feeds/nine.ts', 'results-shards-looks-down'],
  ['controller/results/clock/three.ts', 'controller/results/shards/one.ts', 'results-clock-looks-down'],
  [
    'controller/results/writing/eleven.ts', 'controller/results/intake/other.ts',
    'results-writing-looks-down',
  ],
  [
    'controller/results/dead-letters/twelve.ts', 'controller/results/intake/other.ts',
    'results-dead-letters-looks-down',
  ],
  ['controller/results/hours/thirteen.ts', 'controller/results/state/one.ts', 'results-hours-looks-down'],
  [
    'controller/results/journal/fourteen.ts', 'controller/results/hours/other.ts',
    'results-journal-looks-down',
  ],
  ['controller/incidents/five.ts', 'controller/results/state/one.ts', 'results-and-incidents-apart'],
  ['controller/results/writing/six.ts', 'controller/incidents/five.ts', 'results-and-incidents-apart'],
  ['controller/verdicts/seven.ts', 'controller/results/state/one.ts', 'verdicts-stand-alone'],
  ['controller/incidents/eight.ts', 'controller/verdicts/seven.ts', null],
  ['controller/monitors/interval-rules.ts', 'controller/monitors/ports.ts', null],
  ['controller/monitors/phase-rules.ts', 'controller/monitors/store.ts', 'rules-know-rules-only'],
  ['controller/monitors/vote-rules.ts', 'controller/monitors/verbs.ts', 'rules-know-rules-only'],
  ['controller/monitors/bus-rules.ts', 'controller/platform/bus/bus-port.ts', 'rules-know-rules-only'],
  ['probe/scheduler/rules.ts', 'probe/runner.ts', 'rules-know-rules-only'],
  ['probe/scheduler/file-rules.ts', 'node:fs', 'rules-need-no-system'],
  ['probe/scheduler/hash-rules.ts', 'node:crypto', null],
  ['controller/groups/store.ts', 'controller/groups/verbs.ts', 'stores-know-documents-only'],
  ['controller/groups/own.ts', 'controller/groups/store.ts', null],
  ['controller/groups/foreign.ts', 'controller/monitors/store.ts', 'own-store-only'],
  ['controller/groups/adapter.ts', 'controller/platform/bus/bus.ts', 'platform-behind-ports'],
  ['controller/groups/port.ts', 'controller/platform/bus/bus-port.ts', null],
  ['controller/groups/key-store.ts', 'controller/platform/mongo/mongo.ts', null],
  ['controller/groups/seal.ts', 'controller/platform/bus/nkeys.ts', null],
  ['controller/main.ts', 'controller/platform/bus/bus.ts', null],
  ['controller/main.ts', 'controller/monitors/store.ts', null],
  ['controller/platform/knowing.ts', 'controller/monitors/verbs.ts', 'platform-knows-no-domain-rules'],
  ['shared/round-one.ts', 'shared/round-two.ts', 'no-cycle'],
  ['shared/lost.ts', './nowhere.ts', 'imports-resolve'],
];

/** Many files above break these rules, so only these violations count. */
const counted: [from: string, to: string, rule: string][] = [
  ['shared/upper', 'shared/lower', 'no-folder-cycle'],
  ['shared/of-controller.ts', 'shared/of-controller.ts', 'shared-with-probe'],
  ['shared/of-probe.ts', 'shared/of-probe.ts', 'shared-with-controller'],
];
const expected = [...planted, ...counted];

function sources(): Record<string, string> {
  const targets = [...new Set(
    planted.flatMap(([from, to]) => (to.endsWith('.ts') && !to.startsWith('.') ? [from, to] : [from])),
  )];
  const files = Object.fromEntries(targets.map((path) => {
    const imports =
      planted.filter(([from]) => from === path).map(([from, to]) => `import '${specifier(from, to)}';`);
    return [path, [...imports, 'export {};', ''].join('\n')];
  }));
  return {
    ...files,
    'shared/round-two.ts': 'import \'./round-one.ts\';\n',
    'shared/upper/one.ts': 'import type { Two } from \'../lower/two.ts\';\nexport interface One { two: Two }\n',
    'shared/lower/two.ts': 'export interface Two { two: string }\n',
    'shared/lower/three.ts': 'import type { One } from \'../upper/one.ts\';\nexport interface Three { one: One }\n',
    'shared/of-controller.ts': 'export {};\n',
    'controller/user.ts': 'import \'../shared/of-controller.ts\';\n',
    'shared/of-probe.ts': 'export {};\n',
    'probe/user.ts': 'import \'../shared/of-probe.ts\';\n',
    'shared/one-type.ts': 'import type { Two } from \'./two-types.ts\';\nexport interface One { two: Two }\n',
    'shared/two-types.ts': 'import type { One } from \'./one-type.ts\';\nexport interface Two { one: One }\n',
  };
}

function specifier(from: string, to: string): string {
  if (!to.endsWith('.ts') || to.startsWith('.')) return to;
  return `${'../'.repeat(from.split('/').length - 1)}${to}`;
}

describe('module boundaries', () => {
  let tree: PlantedTree;
  let found: string[] = [];

  beforeAll(async () => {
    tree = plantTree(sources(), ['.dependency-cruiser.cjs']);
    const output = await run(
      process.execPath, [CLI, '--config', '.dependency-cruiser.cjs', '-T', 'json', ...FOLDERS],
      { cwd: tree.root, maxBuffer: 1e8 },
    )
      .then(({ stdout }) => stdout, (error: { stdout: string }) => error.stdout);
    const { violations } = report.parse(JSON.parse(output)).summary;
    found = violations
      .filter(({ from, rule }) => counted.every(([one, , name]) => name !== rule.name || one === from))
      .map(({ from, to, rule }) => `${from} → ${to}: ${rule.name}`);
  });
  afterAll(() => tree?.remove());

  for (const [from, to, rule] of expected) {
    const name = to.replace('node:', '');
    test(rule ? `${rule} forbids ${from} → ${to}` : `${from} → ${to} is allowed`, () => {
      const about = found.filter((line) => line.startsWith(`${from} → `) &&
        (line.includes(` → ${name}:`) || line.includes(`/${name}/`)));
      expect(about.map((line) => line.split(': ').at(-1))).toEqual(rule ? [rule] : []);
    });
  }

  test('every rule has a planted violation and reports nothing else', () => {
    const settings = z.object({ forbidden: z.array(z.object({ name: z.string() })) }).parse(
      createRequire(import.meta.url)('../../../.dependency-cruiser.cjs'),
    );
    const bitten = new Set(expected.map(([, , rule]) => rule).filter((rule) => rule !== null));
    expect([...bitten].sort()).toEqual(settings.forbidden.map(({ name }) => name).sort());
    expect(found).toHaveLength(expected.filter(([, , rule]) => rule !== null).length);
  });
});
