import { BsonType, documentValue, Fields, fieldOf, type Value } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import { KeyWriter } from './key-writer.ts';

/** One field of an index or sort pattern; `name` is the dotted path, a byte string, and `path` its parts. */
export interface KeyField {
  readonly name: string;
  readonly path: readonly string[];
  readonly descending: boolean;
}

export function keyField(name: string, descending = false): KeyField {
  return { name, path: name.split('.'), descending };
}

export interface IndexKeys {
  /** Distinct encoded keys; empty only if a sparse index omits the document. */
  readonly keys: Buffer[];
  /** True if an array was expanded. */
  readonly multikey: boolean;
}

type Slot = Value | undefined | 'empty-array';

interface Trail {
  readonly value: Slot;
  /** The rest of the path if an array stopped the walk. */
  readonly rest: readonly string[];
  readonly array: Value | undefined;
}

function follow(doc: Value, path: readonly string[]): Trail {
  let current: Value | undefined = doc;
  for (let i = 0; i < path.length; i++) {
    current = current.type === BsonType.object ? fieldOf(current, path[i] as string) : undefined;
    if (current === undefined) return { value: undefined, rest: [], array: undefined };
    if (current.type === BsonType.array) return { value: undefined, rest: path.slice(i + 1), array: current };
  }
  return { value: current, rest: [], array: undefined };
}

/**
 * The keys of `doc` under `fields`, one per array element (manual: "Multikey Indexes"). Throws
 * CannotIndexParallelArrays if there are two arrays.
 */
export function indexKeys(doc: Buffer, fields: readonly KeyField[], sparse: boolean): IndexKeys {
  const slots: Slot[] = new Array<Slot>(fields.length).fill(undefined);
  const out: Buffer[] = [];
  const state = { multikey: false, present: false };
  const pending = fields.map((field, index) => ({ index, path: field.path }));
  expand(documentValue(doc), pending, slots, state, () => out.push(encodeSlots(slots, fields)));
  if (sparse && !state.present) return { keys: [], multikey: false };
  return { keys: out.length > 1 ? distinct(out) : out, multikey: state.multikey };
}

interface PendingField {
  readonly index: number;
  readonly path: readonly string[];
}

interface Expansion {
  multikey: boolean;
  present: boolean;
}

function expand(
  doc: Value, pending: readonly PendingField[], slots: Slot[], state: Expansion, emit: () => void,
): void {
  let array: Value | undefined;
  const stopped: PendingField[] = [];
  for (const { index, path } of pending) {
    const trail = follow(doc, path);
    if (trail.array === undefined) {
      slots[index] = trail.value;
      if (trail.value !== undefined) state.present = true;
      continue;
    }
    if (array !== undefined && array.at !== trail.array.at) {
      throw new MongoFailure(ErrorCode.parallelArrays, 'cannot index parallel arrays');
    }
    array = trail.array;
    stopped.push({ index, path: trail.rest });
  }
  if (array === undefined) return emit();
  state.multikey = true;
  const elements = new Fields(array);
  let isEmpty = true;
  while (elements.advance()) {
    isEmpty = false;
    const element = elements.value();
    const deeper: PendingField[] = [];
    for (const field of stopped) {
      const isLeaf = field.path.length === 0;
      slots[field.index] = isLeaf ? element : undefined;
      if (isLeaf) state.present = true;
      else if (element.type === BsonType.object) deeper.push(field);
    }
    if (deeper.length === 0) emit();
    else expand(element, deeper, slots, state, emit);
  }
  if (!isEmpty) return;
  for (const field of stopped) {
    slots[field.index] = field.path.length === 0 ? 'empty-array' : undefined;
    if (field.path.length === 0) state.present = true;
  }
  emit();
}

function encodeSlots(slots: readonly Slot[], fields: readonly KeyField[]): Buffer {
  const writer = new KeyWriter();
  fields.forEach((field, index) => {
    const slot = slots[index];
    if (slot === 'empty-array') writer.emptyArray(field.descending);
    else writer.component(slot, field.descending);
  });
  return writer.take();
}

/** Sorts `keys` in place and returns the distinct ones. */
export function distinct(keys: Buffer[]): Buffer[] {
  keys.sort(Buffer.compare);
  return keys.filter((key, index) => index === 0 || !key.equals(keys[index - 1] as Buffer));
}
