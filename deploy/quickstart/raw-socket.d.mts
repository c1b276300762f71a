interface Options {
  root: string;
  say: (line: string) => void;
  /** Longest build, ms. */
  within?: number;
}

export function ensureRawSocket(options: Options): Promise<boolean>;
