import { StepCounter } from '../../helpers/step-counter.ts';
import { Random } from '../../simulation/random.ts';

/** Blocks of code that a parser may execute per input, and per byte. */
const STEPS_PER_INPUT = 3000;
const STEPS_PER_BYTE = 100;

/** A parser of external input, as used by the fuzzer. */
export interface FuzzedParser {
  readonly name: string;
  /** Valid inputs, and unusual ones that once failed; the fuzzer mutates them. */
  readonly seeds: readonly Buffer[];
  /** A copy that counts its steps. */
  load(): Promise<LoadedParser>;
}

export interface LoadedParser {
  /** What is wrong with how the parser handled these inputs together, or null. */
  feed(inputs: readonly ParserInput[]): Promise<string | null>;
  /** Steps executed so far. */
  readonly steps: number;
  close(): void;
}

/** `seed` is for random choices in the parser's `feed`. */
export interface ParserInput {
  bytes: Buffer;
  seed: number;
}

export interface ParserSource<Exports> {
  name: string;
  /** The parser's file, a path in the repository. */
  entry: string;
  seeds: readonly (Buffer | string)[];
  /**
   * Gives one input to the parser and throws if the outcome violates an invariant. `random` may split the input into
   * pieces.
   */
  feed: (exports: Exports, bytes: Buffer, random: Random) => void | Promise<void>;
}

/** `Exports` is `typeof` the module at `entry`. The parser fails if it throws or takes too many steps. */
export function fuzzedParser<Exports>({ name, entry, seeds, feed }: ParserSource<Exports>): FuzzedParser {
  return {
    name, seeds: seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed, 'latin1') : seed)),
    load: async () => {
      const counter = await StepCounter.load<Exports>(entry);
      let total = 0;
      return {
        feed: async (inputs) => {
          let fault: string | null = null;
          const steps = await counter.count(async () => {
            fault = await faultOf(async () => {
              for (const { bytes, seed } of inputs) await feed(counter.exports, bytes, new Random(seed));
            });
          });
          total += steps;
          const size = inputs.reduce((sum, { bytes }) => sum + bytes.length, 0);
          const maxSteps = STEPS_PER_INPUT * inputs.length + STEPS_PER_BYTE * size;
          return fault ?? (steps > maxSteps ? `${steps} steps for ${size} bytes, over ${maxSteps}` : null);
        },
        get steps() {
          return total;
        },
        close: () => counter.stop(),
      };
    },
  };
}

async function faultOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Consecutive parts of `bytes`, each from 1 to `maxPieceBytes` bytes and in separate memory. */
export function piecesOf(bytes: Buffer, random: Random, maxPieceBytes = 64): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + random.int(1, maxPieceBytes));
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}
