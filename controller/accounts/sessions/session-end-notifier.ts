import { z } from 'zod';
import { decodeJson } from '../../../shared/contracts/bytes.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Bus, BusSubscription } from '../../platform/bus/bus-port.ts';

const sessionEndMessage = z.object({ v: z.literal(1), user_id: z.string().max(64) });

/**
 * Tells all controllers whose sessions ended, because open event streams re-check their session only rarely.
 */
export class SessionEndNotifier {
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  #listener: (userId: string) => void = () => undefined;
  #subscription: BusSubscription | null = null;

  constructor(bus: Pick<Bus, 'publish' | 'subscribe'>) {
    this.#bus = bus;
  }

  /** Calls `listener` with the user whose sessions ended, on this or another controller. */
  onEnded(listener: (userId: string) => void): void {
    this.#listener = listener;
  }

  start(): void {
    this.#subscription = this.#bus.subscribe(subjects.notifySessions, ({ data }) => {
      const received = decodeJson(sessionEndMessage, data);
      if (received !== null) this.#listener(received.user_id);
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
  }

  /** Call after deleting the sessions from the database. The local listener works even if the bus is down. */
  notify(userId: string): void {
    this.#listener(userId);
    const message = { v: 1, user_id: userId } satisfies z.infer<typeof sessionEndMessage>;
    this.#bus.publish(subjects.notifySessions, JSON.stringify(message));
  }
}
