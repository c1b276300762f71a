import { BsonType, documentValue, Fields, fromByteString, isNumber, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue, MongoFailure } from '../errors.ts';
import { isTruthy } from './parse-filter.ts';
import { parsePath } from './path.ts';

type Tree = Map<string, Tree | null>;

export type Projection = (doc: Buffer) => Buffer;

/** Parses a projection by inclusion or exclusion; null keeps documents whole. Throws for expressions and mixtures. */
export function parseProjection(doc: Value | undefined): Projection | null {
  if (doc === undefined) return null;
  const tree: Tree = new Map();
  const state: { isInclusion: boolean | null; id: boolean | null } = { isInclusion: null, id: null };
  collect(doc, '', tree, state);
  if (state.isInclusion === null) {
    if (state.id === null) return null;
    if (state.id) tree.set('_id', null);
    else return (source) => exclude(source, new Map([['_id', null]]));
    return (source) => include(source, tree);
  }
  if (state.isInclusion) {
    if (state.id !== false) tree.set('_id', null);
    return (source) => include(source, tree);
  }
  if (state.id === false) tree.set('_id', null);
  return (source) => exclude(source, tree);
}

function collect(doc: Value, parent: string, tree: Tree, state: { isInclusion: boolean | null; id: boolean | null }): void {
  const fields = new Fields(doc);
  while (fields.advance()) {
    const name = parent + fields.name;
    const value = fields.value();
    const path = parsePath(name);
    if (value.type === BsonType.object && value.end - value.at > 5) {
      collect(value, `${name}.`, tree, state);
      continue;
    }
    if (!isNumber(value) && value.type !== BsonType.boolean) throw badValue(`projection of '${fromByteString(name)}': only inclusion and exclusion are served`);
    const isIncluded = isTruthy(value);
    if (name === '_id') {
      state.id = isIncluded;
      continue;
    }
    if (state.isInclusion !== null && state.isInclusion !== isIncluded) {
      throw isIncluded
        ? new MongoFailure(31253, `Cannot do inclusion on field ${fromByteString(name)} in exclusion projection`)
        : new MongoFailure(31254, `Cannot do exclusion on field ${fromByteString(name)} in inclusion projection`);
    }
    state.isInclusion = isIncluded;
    addPath(tree, path, name);
  }
}

function addPath(tree: Tree, path: readonly string[], name: string): void {
  let node = tree;
  for (const [i, part] of path.entries()) {
    const child = node.get(part);
    const isLast = i + 1 === path.length;
    if (child === null || (isLast && child !== undefined)) throw new MongoFailure(31249, `Path collision at ${fromByteString(name)}`);
    if (isLast) node.set(part, null);
    else if (child !== undefined) node = child;
    else {
      const next: Tree = new Map();
      node.set(part, next);
      node = next;
    }
  }
}

function include(source: Buffer, tree: Tree): Buffer {
  const writer = new BsonWriter(source.length);
  includeFields(documentValue(source), tree, writer);
  return writer.finish();
}

function includeFields(doc: Value, tree: Tree, writer: BsonWriter): void {
  const start = writer.begin();
  const fields = new Fields(doc);
  while (fields.advance()) {
    const node = tree.get(fields.name);
    if (node === undefined) continue;
    if (node === null) writer.copy(fields);
    else if (fields.type === BsonType.object) {
      writer.head(fields.type, fields.name);
      includeFields(fields.value(), node, writer);
    } else if (fields.type === BsonType.array) {
      writer.head(fields.type, fields.name);
      includeElements(fields.value(), node, writer);
    }
  }
  writer.end(start);
}

function includeElements(array: Value, tree: Tree, writer: BsonWriter): void {
  const start = writer.begin();
  const elements = new Fields(array);
  for (let index = 0; elements.advance(); ) {
    if (elements.type !== BsonType.object && elements.type !== BsonType.array) continue;
    writer.head(elements.type, String(index++));
    if (elements.type === BsonType.object) includeFields(elements.value(), tree, writer);
    else includeElements(elements.value(), tree, writer);
  }
  writer.end(start);
}

function exclude(source: Buffer, tree: Tree): Buffer {
  const writer = new BsonWriter(source.length);
  excludeFields(documentValue(source), tree, writer);
  return writer.finish();
}

function excludeFields(doc: Value, tree: Tree, writer: BsonWriter): void {
  const start = writer.begin();
  const fields = new Fields(doc);
  const isArray = doc.type === BsonType.array;
  while (fields.advance()) {
    const node = isArray ? tree : tree.get(fields.name);
    if (node === null) continue;
    const isNested = fields.type === BsonType.object || fields.type === BsonType.array;
    if (node === undefined || !isNested) writer.copy(fields);
    else {
      writer.head(fields.type, fields.name);
      excludeFields(fields.value(), node, writer);
    }
  }
  writer.end(start);
}
