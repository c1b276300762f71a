import { reportOf } from '../../../controller/moving/conversion.ts';
import { convertFile } from '../../../controller/moving/convert-file.ts';
import type { From } from '../../../controller/moving/schema.ts';
import type { Loose } from '../../helpers/api-client.ts';

export interface Outcome {
  document: Loose;
  /** Monitors by name. */
  monitors: Record<string, Loose>;
  /** What is reported of each item: its result, then the notes. */
  items: Record<string, string[]>;
  counts: Loose;
}

/** What becomes of a file. Throws FileRefused. */
export async function converted(from: From, file: string | Uint8Array | object, minIntervalSeconds = 30): Promise<Outcome> {
  const text = typeof file === 'object' && !(file instanceof Uint8Array) ? JSON.stringify(file) : file;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const { document, items } = await convertFile({ from, bytes, minIntervalSeconds });
  const { items: _items, ...counts } = reportOf(items);
  return {
    document, counts,
    monitors: Object.fromEntries(document.monitors.map((monitor) => [monitor.name, monitor])),
    items: Object.fromEntries(items.map(({ name, result, notes }) => [name, [result, ...notes]])),
  };
}
