import type { Document } from 'mongodb';
import { openMongo, type Mongo, type MongoOptions } from '../../controller/platform/mongo/mongo.ts';
import { commandViolations } from './command-violations.ts';

const MAX_OUTLINES = 10_000;

/** Outlines of commands without a violation, of all records. */
const accepted = new Set<string>();

/** The commands that product code sends; `verify` throws if one was outside the closed list. */
export class CommandRecord {
  readonly #violations = new Set<string>();
  /** Collections that commands have named. */
  readonly collections = new Set<string>();
  seen = 0;

  readonly take = (command: Document): void => {
    this.seen += 1;
    const [target] = Object.values(command);
    if (typeof target === 'string') this.collections.add(target);
    const outline = outlineOf(command);
    if (accepted.has(outline)) return;
    const violations = commandViolations(command);
    if (violations.length === 0 && accepted.size < MAX_OUTLINES) accepted.add(outline);
    for (const text of violations) this.#violations.add(text);
  };

  verify(): void {
    if (this.#violations.size === 0) return;
    throw new Error(`commands outside the closed list: ${[...this.#violations].join('; ')}`);
  }
}

/**
 * The product's own connection, recorded: `close` throws if a command was outside the closed list. `onCommand` receives
 * each command.
 */
export function checkedMongo(
  url: string, onCommand?: (command: Document) => void, { maxPoolSize }: Pick<MongoOptions, 'maxPoolSize'> = {},
): Mongo {
  const record = new CommandRecord();
  const mongo = openMongo(url, {
    ...(maxPoolSize === undefined ? {} : { maxPoolSize }),
    onCommand: (command) => {
      record.take(command);
      onCommand?.(command);
    },
  });
  return {
    ...mongo,
    close: async () => {
      await mongo.close();
      record.verify();
    },
  };
}

/**
 * A command's names and types, without the values that product code only passes through: commands of one outline
 * are all in the closed list, or none is. Lists are outlined by their different elements.
 */
function outlineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(outlineOf))].join()}]`;
  if (typeof value === 'string') return 's';
  if (typeof value === 'number') return Math.abs(value) <= 1 ? String(value) : 'n';
  if (typeof value !== 'object' || value === null) return String(value);
  if ('_bsontype' in value) return String(value._bsontype);
  if (ArrayBuffer.isView(value) || value instanceof Date || value instanceof RegExp) return value.constructor.name;
  const fields = value instanceof Map ? [...value] : Object.entries(value);
  return `{${fields.map(([name, inner]) => `${name}:${outlineOf(inner)}`).join()}}`;
}
