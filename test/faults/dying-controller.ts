import { DeliveryStore } from '../../controller/delivery/store.ts';
import { FanOut } from '../../controller/delivery/fan-out.ts';

/**
 * A controller that kills its own process at the point of an alert's delivery given by DIE_AT, so that
 * nothing after it happens.
 */
const POINTS: Record<string, () => void> = {
  'incident written': () => void (FanOut.prototype.fanOut = die),
  'delivery written': () => void (DeliveryStore.prototype.claim = die),
  'alert posted': () => void (DeliveryStore.prototype.settle = die),
};

const arm = POINTS[process.env['DIE_AT'] ?? ''];
if (!arm) throw new Error(`DIE_AT must be one of ${Object.keys(POINTS).join(', ')}`);
arm();
await import('../../controller/main.ts');

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
