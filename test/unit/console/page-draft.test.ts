import { expect, test } from 'vitest';
import {
  monitorsInput, moveItem, shownMonitors, subdomainOf,
} from '../../../controller/console/app/pages/page-draft.ts';

test.each([
  ['Acme', 'acme'], ['Über uns!', 'uber-uns'], ['  A & B  ', 'a-b'], ['日本', ''], ['x'.repeat(80), 'x'.repeat(63)],
])('the subdomain of %j is %j', (name, subdomain) => {
  expect(subdomainOf(name)).toBe(subdomain);
});

test('monitors move within the list, and no further', () => {
  expect(moveItem(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
  expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
  expect(moveItem(['a', 'b', 'c'], 1, 5)).toEqual(['a', 'c', 'b']);
});

test('monitors are shown in the page\'s order; an empty name means the monitor\'s own', () => {
  const read = [
    { monitor_id: '2', monitor_name: 'B', display_name: null, group_name: 'G', display_order: 1, is_visible: false },
    { monitor_id: '1', monitor_name: 'A', display_name: 'Shop', group_name: null, display_order: 0, is_visible: true },
  ];
  const [first, second] = shownMonitors(read);
  expect([first, second]).toMatchObject([
    { monitor_id: '1', display_name: 'Shop', group_name: '' }, { monitor_id: '2', display_name: '', group_name: 'G' },
  ]);
  expect(monitorsInput(shownMonitors(read))).toEqual({
    monitors: [
      { monitor_id: '1', is_visible: true, display_name: 'Shop', group_name: null },
      { monitor_id: '2', is_visible: false, display_name: null, group_name: 'G' },
    ],
  });
});
