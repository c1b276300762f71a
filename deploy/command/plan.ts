import { printable, shortened } from './output.ts';

/** Of a changed field's value, in cells of the terminal. */
const MAX_VALUE_WIDTH = 60;
const SIGNS = { create: '+', update: '~', delete: '-', conflict: '!', unchanged: null } as const;
/** What the lists of a document contain. */
const KINDS: Readonly<Record<string, string>> = {
  groups: 'group', monitors: 'monitor', status_pages: 'status page', integrations: 'destination',
  maintenance_windows: 'maintenance window', variables: 'variable',
};

interface Item {
  name: string;
  action: keyof typeof SIGNS;
  differences: { field: string; before: unknown; after: unknown }[];
  managed_by?: string | null;
}

/** The response to an import; among other things, the items of each list of the document. */
export type Plan = Readonly<Record<string, unknown>> & { dry_run: boolean };

interface KindOfItem extends Item {
  kind: string;
}

export function itemsIn(plan: Plan): KindOfItem[] {
  return Object.entries(KINDS).flatMap(([list, kind]) =>
    ((plan[list] ?? []) as Item[]).map((item) => ({ kind, ...item })));
}

/** A line for each item that would change, with the fields of updates, and one with the counts. */
export function planText(plan: Plan): string {
  const items = itemsIn(plan);
  const count = (action: Item['action']) => items.filter((item) => item.action === action).length;
  const [create, update, remove] = plan.dry_run ? ['to create', 'to update', 'to delete'] : ['created', 'updated', 'deleted'];
  const counts = [
    `${count('create')} ${create}`, `${count('update')} ${update}`, `${count('delete')} ${remove}`,
    `${count('unchanged')} unchanged`, ...(count('conflict') > 0 ? [`${count('conflict')} in conflict`] : []),
  ];
  return `${[...items.flatMap(linesOf), counts.join(', ')].join('\n')}\n`;
}

function linesOf({ kind, name, action, differences, managed_by }: KindOfItem): string[] {
  if (SIGNS[action] === null) return [];
  const owner = action === 'conflict' ? ` is managed by ${managed_by}` : '';
  const fields = action === 'update' ? differences : [];
  return [
    printable(`${SIGNS[action]} ${kind} ${name}${owner}`),
    ...fields.map(({ field, before, after }) => `    ${field}: ${valueOf(before)} → ${valueOf(after)}`),
  ];
}

function valueOf(value: unknown): string {
  return shortened(printable(JSON.stringify(value)), MAX_VALUE_WIDTH);
}
