import { tellExpiry } from './advisory-rules.ts';
import { holdFlaps } from './flap-rules.ts';
import { tellLate } from './late-rules.ts';
import { tellSlow } from './slow-rules.ts';
import type { ItemPlace, MonitorItem, MonitorState, MonitorStep } from './monitor-state.ts';

/**
 * What there is to tell beyond the status: slowness, expiry, flapping, outages that show late. Gives `step` itself back when
 * that is nothing. None of these rules reads when a region or the monitor was checked last, nor what that check measured.
 */
export function tellBeyondStatus(before: MonitorState, step: MonitorStep, item: MonitorItem, place: ItemPlace): MonitorStep {
  return tellLate(before, holdFlaps(tellExpiry(tellSlow(step, place), item, place), item, place), item, place);
}
