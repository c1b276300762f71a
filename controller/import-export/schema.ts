import { z } from 'zod';
import { integrationItem } from '../destinations/schema.ts';
import { MAX_GROUPS } from '../groups/group.ts';
import { validateInTurns } from '../http/body/validate-in-turns.ts';
import { characters, queryBoolean, singleLineText } from '../http/input/validation.ts';
import { windowItem } from '../maintenance/schema.ts';
import { MAX_WINDOWS } from '../maintenance/window.ts';
import { dependencyNames, monitorInputs, NEEDS_BY_TYPE } from '../monitors/schema.ts';
import { MAX_VARIABLES } from '../monitors/variable.ts';
import { heartbeatFields, IMPORTED_TOKEN } from '../monitors/settings/heartbeat.ts';
import { pageItem } from '../status-pages/schema.ts';
import { variableItem } from '../variables/schema.ts';

/** Per document. Larger projects need several documents. */
export const MAX_MONITORS = 10_000;
const TOO_MANY = `At most ${MAX_MONITORS} monitors are allowed; send the rest in another document`;

/** No default plan allows more. */
const MAX_PAGES = 1000;
const MAX_INTEGRATIONS = 1000;
const MAX_DESTINATIONS = 50;

const groupName = singleLineText(100);
const TOKEN_PATTERN = `${IMPORTED_TOKEN.source}|^\\*\\*\\*$`;
const token = z.string().regex(new RegExp(TOKEN_PATTERN), 'Must be 10 to 64 letters, digits, - and _');
const groupItem = z.strictObject({
  name: groupName,
  description: characters(500, 'Must be at most 500 characters').nullable().optional(),
  parent: groupName.nullable().optional().describe('Name of the parent group; null for a top-level group.'),
});

/** Accepts a plain document, or one in the response envelope of an export. */
export function documentInput(minIntervalSeconds: number) {
  const monitorItem = monitorInputs(minIntervalSeconds).create.safeExtend({
    status: z.enum(['active', 'paused', 'disabled']).optional(),
    group: groupName.nullable().optional().describe('Name of its group; null for none.'),
    heartbeat_token: token.nullable().optional().describe('Only for HEARTBEAT: the token to keep. One that another '
      + 'monitor of the installation has is ignored. `***` or null keeps the current one.'),
    slug: heartbeatFields.slug.describe('Only for HEARTBEAT: its name in ping URLs. One that another monitor of the '
      + 'project has is ignored.'),
    depends_on: dependencyNames.optional().describe('Names of monitors in the document or the project.'),
    destinations: z.array(singleLineText(100)).max(MAX_DESTINATIONS).optional()
      .describe('Names of integrations in the document or the project; they replace `notification_target_ids`.'),
  }).meta(NEEDS_BY_TYPE);
  const documentOf = <T extends z.ZodType>(item: T) => z.strictObject({
    version: z.literal(1).default(1),
    groups: listOf(groupItem, MAX_GROUPS, 'groups'),
    integrations: listOf(integrationItem, MAX_INTEGRATIONS, 'integrations'),
    variables: listOf(variableItem, MAX_VARIABLES, 'variables'),
    status_pages: listOf(pageItem, MAX_PAGES, 'status pages'),
    maintenance_windows: listOf(windowItem, MAX_WINDOWS, 'maintenance windows'),
    // Last, as when it is parsed in turns.
    monitors: z.array(item).max(MAX_MONITORS, TOO_MANY).default([]),
  });
  const body = z.preprocess(unwrap, documentOf(monitorItem));
  const inTurns = { frame: documentOf(z.unknown()), list: 'monitors', item: monitorItem };
  return {
    body,
    monitorItem,
    /** Like `body`, but yields to the event loop, because thousands of monitors take most of a second. */
    parseBody: async (sent: unknown) =>
      (await validateInTurns(inTurns, unwrap(sent))) as z.infer<typeof body>,
  };
}
export type DocumentInput = z.infer<ReturnType<typeof documentInput>['body']>;
export type GroupItem = DocumentInput['groups'][number];
export type MonitorItem = DocumentInput['monitors'][number];

function listOf<T extends z.ZodType>(item: T, max: number, noun: string) {
  return z.array(item).max(max, `At most ${max} ${noun} are allowed`).default([]);
}

function unwrap(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return 'success' in body && body.success === true && 'data' in body ? body.data : body;
}

export const importQuery = z.strictObject({
  dry_run: queryBoolean.default(false)
    .describe('Report the changes without applying them.'),
  owner: singleLineText(200).optional().describe('A name, such as that of the file. What the import creates or '
    + 'takes over is marked as managed by it. An item with another owner is a conflict.'),
  prune: queryBoolean.default(false)
    .describe('Also delete what the imports of this owner manage and the document lacks.'),
}).refine(({ owner, prune }) => !prune || owner !== undefined, { path: ['prune'], message: 'Requires an owner' });
export type ImportQuery = z.output<typeof importQuery>;

export const exportQuery = z.strictObject({
  format: z.enum(['json', 'yaml']).default('json')
    .describe('`json`: in the usual envelope; `yaml`: only the document.'),
  offset: z.string().regex(/^\d{1,9}$/, 'Must be a whole number of at least 0').default('0').transform(Number)
    .meta({ type: 'integer', minimum: 0, fallback: 0 })
    .describe(`Monitors to skip; one document has at most ${MAX_MONITORS}.`),
});
