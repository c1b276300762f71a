import { z } from 'zod';
import { decodeJson } from '../../../shared/contracts/decode-json.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Bus, BusSubscription } from '../../platform/bus/bus-port.ts';

const sessionEndMessage = z.object({ v: z.literal(1), user_id: z.string().max(64) });

/**
 * Controllers tell each other whose sessions have ended: an open stream of live events reads its session only
 * now and then.
 */
export class SessionEndNotifier {
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  #listener: (userId: string) => void = () => undefined;
  #subscription: BusSubscription | null = null;

  constructor(bus: Pick<Bus, 'publish' | 'subscribe'>) {
    this.#bus = bus;
  }

  /** Calls `listener` when sessions of a user have ended, here or at another controller. */
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

  /** After the sessions are gone from the database. Here it also works while the bus is away. */
  notify(userId: string): void {
    this.#listener(userId);
    const message = { v: 1, user_id: userId } satisfies z.infer<typeof sessionEndMessage>;
    this.#bus.publish(subjects.notifySessions, JSON.stringify(message));
  }
}
