import type { Document } from 'mongodb';
import { openMongo, type Mongo } from '../../controller/platform/mongo/mongo.ts';
import { commandViolations } from './command-violations.ts';

/** Records the commands sent by product code; `verify` throws if one was outside the closed list. */
export class CommandRecord {
  readonly #violations = new Set<string>();
  /** Collections named in commands. */
  readonly collections = new Set<string>();
  seen = 0;

  readonly take = (command: Document): void => {
    this.seen += 1;
    const [target] = Object.values(command);
    if (typeof target === 'string') this.collections.add(target);
    for (const text of commandViolations(command)) this.#violations.add(text);
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
export function checkedMongo(url: string, onCommand?: (command: Document) => void): Mongo {
  const record = new CommandRecord();
  const mongo = openMongo(url, {
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
