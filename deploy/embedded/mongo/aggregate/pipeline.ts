import { BsonType, documentValue, Fields, fromByteString, isNumber, stringOf, toDouble, type Value } from '../bson/value.ts';
import { encodeObject } from '../bson/write.ts';
import { STAGES } from '../closed-list.ts';
import { badValue, MongoFailure } from '../errors.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Filter } from '../query/filter.ts';
import { matcherOf } from '../query/matcher.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { parsePattern, Sorter } from '../query/sort.ts';
import { parseGroup } from './group.ts';
import { parseUnwind } from './unwind.ts';

/** One stage: what leads a pipeline can be read from an index, the rest runs over documents. */
export type Stage =
  | { readonly kind: 'match'; readonly filter: Filter }
  | { readonly kind: 'sort'; readonly sort: readonly KeyField[] }
  | { readonly kind: 'skip' | 'limit'; readonly count: number }
  | { readonly kind: 'rows'; readonly run: (docs: Iterable<Buffer>) => Iterable<Buffer> };

/** Parses a pipeline. Throws for stages, operators and expressions outside the closed list. */
export function parsePipeline(stages: readonly Value[]): Stage[] {
  return stages.map((stage) => {
    const fields = new Fields(stage);
    if (!fields.advance()) throw new MongoFailure(40323, 'A pipeline stage specification object must contain exactly one field.');
    const name = fields.name;
    const spec = fields.value();
    if (fields.advance()) throw new MongoFailure(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (!STAGES.has(name)) throw new MongoFailure(40324, `Unrecognized pipeline stage name: '${fromByteString(name)}', or one that the embedded store does not serve`);
    return parseStage(name, spec);
  });
}

function parseStage(name: string, spec: Value): Stage {
  switch (name) {
    case '$match':
      if (spec.type !== BsonType.object) throw new MongoFailure(15959, 'the match filter must be an expression in an object');
      return { kind: 'match', filter: parseFilter(spec) };
    case '$sort':
      if (spec.type !== BsonType.object) throw new MongoFailure(15973, 'the $sort key specification must be an object');
      return { kind: 'sort', sort: nonEmpty(parsePattern(spec, '$sort')) };
    case '$skip':
      return { kind: 'skip', count: wholeNumber(spec, 0, 15956, '$skip') };
    case '$limit':
      return { kind: 'limit', count: wholeNumber(spec, 1, 15958, '$limit') };
    case '$group':
      return { kind: 'rows', run: parseGroup(spec) };
    case '$unwind': {
      const unwind = parseUnwind(spec);
      return { kind: 'rows', run: (docs) => flatMap(docs, unwind) };
    }
    default:
      return { kind: 'rows', run: parseCount(spec) };
  }
}

function nonEmpty(sort: KeyField[]): KeyField[] {
  if (sort.length === 0) throw new MongoFailure(15976, '$sort stage must have at least one sort key');
  if (sort.some((field) => field.name.startsWith('$'))) throw badValue('$sort by $natural is not served');
  return sort;
}

function wholeNumber(spec: Value, least: number, code: number, name: string): number {
  const number = isNumber(spec) ? toDouble(spec) : NaN;
  if (!Number.isSafeInteger(number) || number < least) throw new MongoFailure(code, `the ${name} must be a whole number from ${least} up`);
  return number;
}

function parseCount(spec: Value): (docs: Iterable<Buffer>) => Iterable<Buffer> {
  const name = spec.type === BsonType.string ? stringOf(spec) : '';
  if (name === '' || name.startsWith('$') || name.includes('.') || name.includes('\0')) throw new MongoFailure(40156, 'the count field must be a non-empty string without $ and .');
  return (docs) => {
    let count = 0;
    for (const _ of docs) count++;
    return count === 0 ? [] : [encodeObject({ [Buffer.from(name).toString('latin1')]: count })];
  };
}

function* flatMap(docs: Iterable<Buffer>, each: (doc: Buffer) => Iterable<Buffer>): Iterable<Buffer> {
  for (const doc of docs) yield* each(doc);
}

/** Runs stages over documents, lazily where a stage allows it. */
export function runStages(docs: Iterable<Buffer>, stages: readonly Stage[]): Iterable<Buffer> {
  return stages.reduce((rows, stage, index) => runStage(rows, stage, stages[index + 1]), docs);
}

function runStage(docs: Iterable<Buffer>, stage: Stage, following: Stage | undefined): Iterable<Buffer> {
  switch (stage.kind) {
    case 'match':
      return filtered(docs, matcherOf(stage.filter));
    case 'sort':
      return sorted(docs, stage.sort, following?.kind === 'limit' ? following.count : 0);
    case 'skip':
      return skipped(docs, stage.count);
    case 'limit':
      return limited(docs, stage.count);
    default:
      return stage.run(docs);
  }
}

function* filtered(docs: Iterable<Buffer>, matches: (doc: Value) => boolean): Iterable<Buffer> {
  for (const doc of docs) if (matches(documentValue(doc))) yield doc;
}

function* sorted(docs: Iterable<Buffer>, sort: readonly KeyField[], limit: number): Iterable<Buffer> {
  const sorter = new Sorter(sort, limit);
  for (const doc of docs) sorter.add(doc);
  yield* sorter.finish();
}

function* skipped(docs: Iterable<Buffer>, count: number): Iterable<Buffer> {
  let left = count;
  for (const doc of docs) if (left-- <= 0) yield doc;
}

function* limited(docs: Iterable<Buffer>, count: number): Iterable<Buffer> {
  let left = count;
  for (const doc of docs) {
    yield doc;
    if (--left === 0) return;
  }
}
