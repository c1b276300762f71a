import type { CommandStartedEvent, MongoClient } from 'mongodb';
import { commandViolations } from './command-violations.ts';

export interface CommandWatch {
  /** Each thing outside the closed list once, in the order of its first use. */
  violations(): string[];
  /** How many commands were seen: a watch that saw none proves nothing. */
  seen(): number;
}

/** Watches all that a client sends from now on. The client must have been made with `monitorCommands: true`. */
export function watchCommands(client: MongoClient): CommandWatch {
  const found = new Set<string>();
  let count = 0;
  client.on('commandStarted', (event: CommandStartedEvent) => {
    count++;
    for (const text of commandViolations(event.command)) found.add(text);
  });
  return { violations: () => [...found], seen: () => count };
}
