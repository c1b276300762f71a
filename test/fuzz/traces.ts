import type { Document } from 'mongodb';
import type { World } from './world.ts';

/** Every document of the bystander as text, by collection. */
export type Dump = Record<string, string>;

/** Fields of the bystander's documents that the product itself may change. */
const PRODUCT_FIELDS = ['unjournaled', 'uncounted', 'counted_revision', 'counted', 'last_used_at'];

export async function dumpOf(world: World): Promise<Dump> {
  const dump: Dump = {};
  for (const name of world.rig.commands.collections) {
    const documents = (await documentsOf(world, name)).filter((one) => isOf(one, world.bystander));
    dump[name] = JSON.stringify(documents.map(withoutProductFields), null, 1);
  }
  return dump;
}

/**
 * Traces that requests left: changed documents of the bystander, or its ids in another organization's
 * documents.
 */
export async function findTraces(world: World, before: Dump): Promise<string[]> {
  const found: string[] = [];
  const after = await dumpOf(world);
  for (const [name, text] of Object.entries(after)) {
    if (PRODUCT_COLLECTIONS.has(name)) continue;
    if ((before[name] ?? '[]') !== text) {
      found.push(`${name} of the bystander has changed:\n    ${firstDifference(before[name] ?? '', text)}`);
    }
  }
  for (const name of world.rig.commands.collections) {
    if (PRODUCT_COLLECTIONS.has(name)) continue;
    for (const document of await documentsOf(world, name)) {
      if (isOf(document, world.bystander) || document['organization_id'] === undefined) continue;
      const where = pathsOf(document, world.foreign).filter((path) => !path.startsWith('tags.'));
      if (where.length > 0) {
        found.push(
          `${name} of another organization contains ids of the bystander in ${where.join(', ')}: ${JSON.stringify(document['_id'])}`,
        );
      }
    }
  }
  return found;
}

/** Collections that span organizations, or that change over time without a request. */
const PRODUCT_COLLECTIONS = new Set([
  'journal', 'snapshots', 'assignments', 'assignment_heads', 'leases', 'rollups_1h', 'rollups_1d',
  'monitor_states', 'monitor_counts', 'retention', 'pings', 'ping_history',
  'status_changes',
]);

/** Internal errors in the log, and secrets that it must not contain. */
export function loggedFaults({ lines, secrets }: World): string[] {
  const failures = lines.filter(
    (line) => (JSON.parse(line) as { level: number }).level >= 50 && !isExpected(line),
  ).slice(0, 10);
  const log = lines.join('');
  const leaked = [...secrets].filter((secret) => log.includes(secret)).slice(0, 5);
  return [
    ...failures.map((line) => `logged a failure: ${line.slice(0, 1500)}`),
    ...leaked.map((secret) => `logged a secret: ${lines.find((line) => line.includes(secret))?.slice(0, 600)}`),
  ];
}

/** The API's two documented 500 responses are logged like any other. */
function isExpected(line: string): boolean {
  return line.includes('System incidents must have a check_id') ||
    line.includes('At least one field must be provided for update');
}

function documentsOf(world: World, name: string): Promise<Document[]> {
  return world.db.collection(name).find({}).sort({ _id: 1 }).toArray();
}

function isOf(document: Document, organizationId: string): boolean {
  return document['organization_id'] === organizationId || document['_id'] === organizationId;
}

/** Paths of these texts in a document, such as `a.b.0`. */
function pathsOf(value: unknown, texts: string[], at: string[] = []): string[] {
  if (typeof value === 'string') return texts.includes(value) ? [at.join('.')] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, texts, [...at, name]));
}

function withoutProductFields(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !PRODUCT_FIELDS.includes(name)));
}

function firstDifference(one: string, other: string): string {
  const lines = one.split('\n');
  const at = other.split('\n').findIndex((line, index) => line !== lines[index]);
  return `${lines[at]?.slice(0, 300)} -> ${other.split('\n')[at]?.slice(0, 300)}`;
}
