import { expect, test } from 'vitest';
import { planText } from '../../../deploy/command/plan.ts';

const item = (name: string, action: string, rest = {}) => ({ name, action, differences: [], ...rest });

test('a plan shows what is created, updated, deleted and in conflict, and counts the rest', () => {
  const differences = [
    { field: 'interval_seconds', before: 60, after: 30 }, { field: 'auth.token', before: '***', after: '***' },
    { field: 'tags', before: [], after: Array.from({ length: 30 }, (_, at) => `tag ${at}`) },
  ];
  const plan = {
    dry_run: true, summary: {}, groups: [item('Shops', 'create', { differences: [{ field: 'name', before: null, after: 'Shops' }] })],
    monitors: [item('Shop', 'update', { differences }), item('Blog', 'unchanged'), item('Old\n', 'delete')],
    integrations: [item('on call', 'conflict', { managed_by: 'team-b' })],
  };
  expect(planText(plan)).toBe([
    '+ group Shops',
    '~ monitor Shop',
    '    interval_seconds: 60 → 30',
    '    auth.token: "***" → "***"',
    '    tags: [] → ["tag 0","tag 1","tag 2","tag 3","tag 4","tag 5","tag 6","t…',
    '- monitor Old ',
    '! destination on call is managed by team-b',
    '1 to create, 1 to update, 1 to delete, 1 unchanged, 1 in conflict', '',
  ].join('\n'));
  expect(planText({ dry_run: false, groups: plan.groups })).toBe('+ group Shops\n1 created, 0 updated, 0 deleted, 0 unchanged\n');
});
