import type { Family } from '../checks/icmp/packet.ts';

export const SMALL_DATA_BYTES = 56;
/** 1,500 bytes with the IP and ICMP headers. */
export const LARGE_DATA_BYTES: Readonly<Record<Family, number>> = { 4: 1472, 6: 1452 };

/**
 * Whether packets of 1,500 bytes arrive, by echo requests of both sizes. A report by a router or this machine
 * that one is too large counts as arrived, because senders then use smaller ones. Connections stall only
 * where such packets are lost without a report.
 */
export class LargePackets {
  #wasSent = false;
  #doesSmallArrive = false;
  #doesLargeArrive = false;

  onSent(): void {
    this.#wasSent = true;
  }

  onResponse(size: 'small' | 'large'): void {
    if (size === 'small') this.#doesSmallArrive = true;
    else this.#doesLargeArrive = true;
  }

  onTooLarge(): void {
    this.#doesLargeArrive = true;
  }

  /** Whether the target responds to echo requests, regardless of its port. */
  get hasResponse(): boolean {
    return this.#doesSmallArrive;
  }

  /** Whether further responses cannot change the verdict. */
  get isDecided(): boolean {
    return this.#doesLargeArrive;
  }

  get verdict(): 'arrive' | 'lost' | 'unknown' {
    if (this.#doesLargeArrive) return 'arrive';
    return this.#wasSent && this.#doesSmallArrive ? 'lost' : 'unknown';
  }
}
