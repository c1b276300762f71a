import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a module, as a frame of a stack trace names it. */
const LOCATION = /(file:\/\/[^\s()]+):(\d+):(\d+)/;

/**
 * Lets stack traces name the sources that a bundle was built from. A map is read when somebody first reads a
 * stack, and let go when memory is needed: Node's own `--enable-source-maps` keeps the maps of all packages
 * from the start, 10 MB in a controller.
 */
export function mapStacks(): void {
  const maps = new Map<string, WeakRef<SourceMap> | null>();
  const mapOf = (module: string): SourceMap | null => {
    const cached = maps.get(module);
    if (cached === null) return null;
    const map = cached?.deref() ?? readMap(module);
    maps.set(module, map && new WeakRef(map));
    return map;
  };
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${mapped(String(frame), mapOf)}`)].join('\n');
}

function mapped(frame: string, mapOf: (module: string) => SourceMap | null): string {
  return frame.replace(LOCATION, (location, module: string, line: string, column: string) => {
    const entry = mapOf(module)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return location;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${new URL(originalSource, module).href}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

/** Null for a module without a map that can be read. */
function readMap(module: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(module)}.map`, 'utf8')));
  } catch {
    return null;
  }
}

function headOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
