import type { NatsConnection } from 'nats';

interface Internals {
  protocol?: { transport?: { close?: (error: Error) => Promise<void> } };
}

/**
 * Breaks a connection whose pings go unanswered, so that nats.js dials anew. By itself nats.js 2.29 first waits until
 * what it has sent is flushed, which a peer that no longer reads never lets happen. Reaches into its transport, since
 * no public call skips that wait; where that looks otherwise nothing happens.
 */
export async function breakStaleConnection(connection: NatsConnection): Promise<void> {
  await (connection as unknown as Internals).protocol?.transport?.close?.(new Error('stale connection'));
}
