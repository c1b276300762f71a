import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { ControllerConfig } from '../config.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import { silenceLimitMs, Watchdog } from '../watchdog/watchdog.ts';
import type { Notifications } from './notifications.ts';

export interface WatchdogOptions {
  config: ControllerConfig['watchdog'];
  notifications: Pick<Notifications, 'poster' | 'service'>;
  mongo: Pick<Mongo, 'ping'>;
  bus: Pick<Bus, 'isConnected'>;
  clock: Clock;
  log: Log;
}

/** The dead man's switch over what alerts need; null when no address is set. */
export function openWatchdog({ config, notifications, mongo, bus, clock, log }: WatchdogOptions): Watchdog | null {
  if (config === null) return null;
  return new Watchdog({
    ...config, clock, log, poster: notifications.poster,
    checks: [
      { name: 'delivery of alerts', isWorking: () => notifications.service.hasWorked(silenceLimitMs(config.intervalMs)) },
      { name: 'database', isWorking: () => mongo.ping().then(() => true) },
      { name: 'bus', isWorking: () => bus.isConnected },
    ],
  });
}
