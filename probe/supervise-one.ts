import type { ActorContext, Behaviour } from '../shared/actor/actor-ref.ts';
import { Supervisor, type SupervisorOptions } from '../shared/actor/supervisor.ts';

/** A supervisor of one actor. */
export interface OnlyActor<Message> {
  start(): void;
  send(message: Message): void;
  /** Stops it permanently. Resolves when its resources are released. */
  stop(): Promise<void>;
}

export interface OnlyActorOptions<Message>
  extends Pick<
    SupervisorOptions<null, Message>, 'kind' | 'clock' | 'log' | 'random' | 'capacity' | 'firstDelayMs' | 'maxDelayMs'
  > {
  start(context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  /** Logged with each failure, after which it always restarts. */
  failureMessage: string;
}

/** Keeps an actor running that is the only one of its kind. */
export function superviseOne<Message>(options: OnlyActorOptions<Message>): OnlyActor<Message> {
  const { log, start, failureMessage } = options;
  const supervisor = new Supervisor<null, Message>({
    ...options,
    start: (_name, context) => start(context),
    onFailure: ({ error }) => {
      log.error({ err: error }, failureMessage);
      return true;
    },
  });
  return {
    start: () => supervisor.start(null),
    send: (message) => void supervisor.get(null)?.send(message),
    stop: () => supervisor.stopAll(),
  };
}
