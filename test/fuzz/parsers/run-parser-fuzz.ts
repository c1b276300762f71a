import { Random } from '../../simulation/random.ts';
import type { FuzzedParser, LoadedParser, ParserInput } from './fuzzed-parser.ts';
import { mutateBytes } from './mutate-bytes.ts';

const MAX_FAULTS = 10;
/** Counting steps takes milliseconds, so many inputs are counted together. */
const BATCH_SIZE = 500;
const PROGRESS_INTERVAL = 20_000;
/** Bytes of an input shown in a report; longer ones are reproduced by their number. */
const MAX_SHOWN_BYTES = 600;

/**
 * Feeds one parser its seeds and then mutations of them, `inputs` in total. Returns the faults, each with its input.
 * The seed determines everything.
 */
export async function runParserFuzz(
  parser: FuzzedParser, { seed, inputs }: { seed: number; inputs: number }, say: (line: string) => void,
): Promise<string[]> {
  const random = new Random(seed);
  const faults: string[] = [];
  const loaded = await parser.load();
  try {
    for (let done = 0; done < inputs && faults.length < MAX_FAULTS; done += BATCH_SIZE) {
      const batch = Array.from({ length: Math.min(BATCH_SIZE, inputs - done) }, (_, at) => ({
        bytes: parser.seeds[done + at] ?? mutateBytes(parser.seeds, random), seed: random.int(0, 2 ** 32 - 1),
      }));
      const fault = await loaded.feed(batch);
      if (fault !== null) faults.push(...(await faultsOf(parser.name, loaded, batch, { fault, done })));
      if ((done + batch.length) % PROGRESS_INTERVAL === 0) {
        say(`${parser.name}: ${done + batch.length} of ${inputs} inputs`);
      }
    }
    if (loaded.steps === 0) faults.push(`${parser.name}: took no step, so its steps were not counted`);
    return faults;
  } finally {
    loaded.close();
  }
}

/** Isolates the failing inputs by feeding each of them alone. */
async function faultsOf(
  name: string, loaded: LoadedParser, batch: readonly ParserInput[], { fault, done }: { fault: string; done: number },
): Promise<string[]> {
  const faults: string[] = [];
  for (const [at, input] of batch.entries()) {
    const own = await loaded.feed([input]);
    if (own !== null) faults.push(`${name}, input ${done + at + 1}: ${own}\n    ${shown(input.bytes)}`);
  }
  return faults.length > 0 ? faults : [`${name}, after input ${done}: ${fault}, but with no input alone`];
}

function shown(bytes: Buffer): string {
  const text = bytes.subarray(0, MAX_SHOWN_BYTES).toString('base64');
  return bytes.length > MAX_SHOWN_BYTES ? `${text}… (${bytes.length} bytes)` : text;
}
