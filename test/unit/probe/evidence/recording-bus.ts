import type { ProbeBus } from '../../../../probe/ports.ts';
import { evidence, type EvidenceMessage } from '../../../../shared/contracts/evidence.ts';

/** A bus that records published messages and decodes them as evidence. */
export class RecordingBus implements ProbeBus {
  isConnected = true;
  readonly sent: { subject: string; bytes: Uint8Array }[] = [];
  readonly #listeners: ((isConnected: boolean) => void)[] = [];

  get messages(): EvidenceMessage[] {
    return this.sent.map(({ bytes }) => evidence.parse(JSON.parse(Buffer.from(bytes).toString())));
  }

  change(isConnected: boolean): void {
    this.isConnected = isConnected;
    for (const listen of this.#listeners) listen(isConnected);
  }

  request = (): Promise<Uint8Array> => Promise.reject(new Error('no requests'));
  publish = (subject: string, bytes: Uint8Array): void => void this.sent.push({ subject, bytes });
  flush = (): Promise<void> => Promise.resolve();
  subscribe = () => ({ stop: () => undefined });
  onChange = (listen: (isConnected: boolean) => void): void => void this.#listeners.push(listen);
}
