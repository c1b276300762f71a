import { Random } from '../../simulation/random.ts';
import type { FuzzedParser, OpenParser, ParserInput } from './fuzzed-parser.ts';
import { mutateBytes } from './mutate-bytes.ts';

const MOST_FAULTS = 10;
/** Counting steps costs milliseconds, so many inputs are counted at once. */
const AT_ONCE = 500;
const PROGRESS_EVERY = 20_000;
/** Bytes of an input in a report; longer ones are found again by their number. */
const SHOWN_BYTES = 600;

/**
 * Gives one parser its seeds and then mutations of them, `inputs` in all. Returns the faults, each with its
 * input. The seed determines everything.
 */
export async function runParserFuzz(
  parser: FuzzedParser, { seed, inputs }: { seed: number; inputs: number }, say: (line: string) => void,
): Promise<string[]> {
  const random = new Random(seed);
  const faults: string[] = [];
  const open = await parser.open();
  try {
    for (let done = 0; done < inputs && faults.length < MOST_FAULTS; done += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, inputs - done) }, (_, at) => ({
        bytes: parser.seeds[done + at] ?? mutateBytes(parser.seeds, random), seed: random.int(0, 2 ** 32 - 1),
      }));
      const fault = await open.feed(batch);
      if (fault !== null) faults.push(...(await faultsOf(parser.name, open, batch, { fault, done })));
      if ((done + batch.length) % PROGRESS_EVERY === 0) {
        say(`${parser.name}: ${done + batch.length} of ${inputs} inputs`);
      }
    }
    if (open.steps === 0) faults.push(`${parser.name}: took no step, so its steps were not counted`);
    return faults;
  } finally {
    open.close();
  }
}

/** Finds the inputs with which the parser failed by giving it each of them alone. */
async function faultsOf(
  name: string, open: OpenParser, batch: readonly ParserInput[], { fault, done }: { fault: string; done: number },
): Promise<string[]> {
  const faults: string[] = [];
  for (const [at, input] of batch.entries()) {
    const own = await open.feed([input]);
    if (own !== null) faults.push(`${name}, input ${done + at + 1}: ${own}\n    ${shown(input.bytes)}`);
  }
  return faults.length > 0 ? faults : [`${name}, after input ${done}: ${fault}, but with no input alone`];
}

function shown(bytes: Buffer): string {
  const text = bytes.subarray(0, SHOWN_BYTES).toString('base64');
  return bytes.length > SHOWN_BYTES ? `${text}… (${bytes.length} bytes)` : text;
}
