/** A process of the installation, as it is started anew after each death. */
export interface ProcessSpec {
  role: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** With a channel to us: the process ends when the channel does, however we ended. */
  hasChannel: boolean;
  /** How long it may take to end on SIGTERM before SIGKILL, ms. */
  stopTimeoutMs: number;
  /**
   * One of its output lines as it goes to the log, null for one that does not; the line itself when absent.
   */
  formatLine?: (line: string) => string | null;
  onLine?: (line: string) => void;
  /** Something that came over the channel. */
  onMessage?: (message: unknown) => void;
}

/**
 * How our own processes run. Left to itself an idle Node shrinks the space for what is young to 1 MB and then
 * clears it every second; with 2 MB it does so half as often, and under load the space grows by itself. It
 * would learn to make what a request needs among what is old, because much of it is alive whenever a request
 * is interrupted to clear: the old space then fills with it. So little is alive when the young are cleared
 * that to wake other threads for it costs more than it saves.
 */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=2', '--no-allocation-site-pretenuring', '--no-parallel-scavenge',
];

/**
 * Added to the environment of our own processes. Otherwise glibc gives each of their threads a heap of its
 * own, and 10 MB that V8's compiler had used stay there.
 */
export const NODE_VARIABLES = Object.freeze({ MALLOC_ARENA_MAX: '2' });

/**
 * How the embedded store runs. It has next to nothing in memory, so that the few megabytes of a hundred large
 * replies were reason enough to clear all of it: every second or two, and for longer than a reply takes.
 */
export const STORE_FLAGS: readonly string[] = [...NODE_FLAGS, '--initial-old-space-size=64'];

/**
 * How the probe runs. What hostile targets send passes through the space for what is young, which would grow
 * to 32 MB, and V8 lets as much again wait outside of its heap before it clears both. The probe itself asks
 * it to clear what large certificates leave behind. A few checks a second leave most of its code to the
 * interpreter for minutes; compiling each function at once, without optimizing it, costs less.
 */
export const PROBE_FLAGS: readonly string[] = [
  ...NODE_FLAGS, '--max-semi-space-size=8', '--expose-gc', '--always-sparkplug',
];

/** Those of NODE_FLAGS, PROBE_FLAGS and STORE_FLAGS that this version of Node.js knows. */
export interface ProcessFlags {
  node: readonly string[];
  probe: readonly string[];
  store: readonly string[];
}
