import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A source location in a stack frame. */
const LOCATION = /(file:\/\/[^\s()]+):(\d+):(\d+)/;

/**
 * Maps stack traces to the sources of a bundle. A source map is loaded when a stack is first read and
 * released under memory pressure: Node's `--enable-source-maps` would keep all of them, 10 MB in a
 * controller.
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
  Error.prepareStackTrace = (error, frames) => {
    const of = isRoutine(error) ? () => null : mapOf;
    return [headOf(error), ...frames.map((frame) => `    at ${mapped(String(frame), of)}`)].join('\n');
  };
}

/**
 * Node reads the stack of every error that ends a stream, and nats.js of one at each end of a connection.
 * Nobody logs these, so they must not load a map, which takes a controller 0.2 s of CPU time.
 */
function isRoutine(error: Error & { code?: unknown }): boolean {
  return error.code === 'UND_ERR_INFO' || error.message === 'close trace';
}

function mapped(frame: string, mapOf: (module: string) => SourceMap | null): string {
  return frame.replace(LOCATION, (location, module: string, line: string, column: string) => {
    const entry = mapOf(module)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return location;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${new URL(originalSource, module).href}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

/** Null if the module has no readable map. */
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
