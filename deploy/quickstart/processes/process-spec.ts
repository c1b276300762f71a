/** How to start a process of the installation, and restart it after it ends. */
export interface ProcessSpec {
  role: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Has an IPC channel to us; the process ends when the channel closes, however we ended. */
  hasChannel: boolean;
  /** Time between SIGTERM and SIGKILL. */
  stopTimeoutMs: number;
  /**
   * Converts an output line for the log, or drops it by returning null. Without it, lines are logged
   * unchanged.
   */
  formatLine?: (line: string) => string | null;
  onLine?: (line: string) => void;
  /** Called for messages on the channel. */
  onMessage?: (message: unknown) => void;
}

/**
 * V8 flags of our processes. An idle Node would shrink its young generation to 1 MB and collect it every
 * second; 2 MB halves that. A large import or hostile responses would grow it to 32 MB, and it would stay
 * so; half of that costs little. Pretenuring would fill the old generation with request data. Parallel
 * scavenging would cost more than it saves, as little survives.
 */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=2', '--max-semi-space-size=8', '--no-allocation-site-pretenuring',
  '--no-parallel-scavenge',
];

/**
 * Added to the environment of our processes. Otherwise glibc gives each thread its own heap, which would
 * retain 10 MB used by V8's compiler, and keeps ever larger freed buffers, 15 MB of a controller's.
 */
export const NODE_VARIABLES = Object.freeze({
  MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072',
});

/**
 * V8 flags of the controller. Its heap may grow by half before the next full collection, so that the garbage
 * of an import or of many page views does not stay for hours.
 */
export const CONTROLLER_FLAGS: readonly string[] = [...NODE_FLAGS, '--heap-growing-percent=50'];

/**
 * V8 flags of the embedded store. Its heap is so small that a few megabytes of large responses would trigger
 * a full collection every second or two, each longer than a response takes. More than 16 MB would be full of
 * garbage until the first one.
 */
export const STORE_FLAGS: readonly string[] = [...NODE_FLAGS, '--initial-old-space-size=16'];

/**
 * V8 flags of the probe. A thousand checks in progress survive collections of a small young generation, which
 * would take a fifth of an overloaded probe's time. `--expose-gc` frees large certificates. Baseline code,
 * compiled on first use, costs less than minutes of interpretation at a few checks a second.
 */
export const PROBE_FLAGS: readonly string[] =
  [...NODE_FLAGS, '--max-semi-space-size=16', '--expose-gc', '--always-sparkplug'];

/**
 * Added to those of all processes where little memory is available: garbage is collected more often, and code
 * that runs rarely is not compiled. That takes a quarter less memory, and a fifth more of the time of a
 * controller while many monitors are created.
 */
export const SCARCE_MEMORY_FLAGS: readonly string[] =
  ['--max-semi-space-size=2', '--heap-growing-percent=20', '--no-always-sparkplug'];
/** Less than this is little. */
export const SCARCE_MEMORY_BYTES = 536_870_912;

/** The subsets of CONTROLLER_FLAGS, PROBE_FLAGS and STORE_FLAGS supported by this version of Node.js. */
export interface ProcessFlags {
  controller: readonly string[];
  probe: readonly string[];
  store: readonly string[];
}
