import { parsePipeline, runStages, type Stage } from '../aggregate/pipeline.ts';
import { fieldOf, isNumber, toDouble, type Value } from '../bson/value.ts';
import { ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import { refuseOthers, type Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { rowsOf, type Rows } from './cursors.ts';
import { deadline, EVERYTHING, searchRows, type Search } from './find.ts';

const CURSOR_FIELDS: ReadonlySet<string> = new Set(['batchSize']);
/** What a pipeline may leave in memory for its cursor. */
const MAX_RESULT_BYTES = 100 * 1024 * 1024;

export function aggregate(context: Context, args: Args): Reply {
  const { ns } = args;
  const batchSize = cursorBatch(args.document('cursor'));
  const stages = parsePipeline(args.documents('pipeline'));
  const collection = context.catalog.get(ns);
  if (collection === undefined) return { cursor: context.cursors.start(ns, rowsOf([...runStages([], stages)]), batchSize) };
  const { search, rest } = leadingSearch(stages);
  const rows = searchRows(context, collection, { ...search, checkDeadline: deadline(context, args) });
  // Without further stages the cursor may stay lazy; stages hold iterators that must not outlive the command.
  const source = rest.length === 0 ? rows : rowsOf(collect(runStages(iterate(rows), rest)));
  return { cursor: context.cursors.start(ns, source, batchSize) };
}

function cursorBatch(cursor: Value | undefined): number | undefined {
  if (cursor === undefined) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
  refuseOthers(cursor, CURSOR_FIELDS, 'aggregate.cursor');
  const size = fieldOf(cursor, 'batchSize');
  if (size === undefined) return undefined;
  const number = isNumber(size) ? toDouble(size) : -1;
  if (!Number.isInteger(number) || number < 0) throw new MongoFailure(ErrorCode.badValue, 'cursor.batchSize must be a whole number from 0 up');
  return number;
}

/** As many leading stages as one search can stand for: matches, then a sort, a skip, a limit. */
function leadingSearch(stages: readonly Stage[]): { search: Search; rest: readonly Stage[] } {
  let i = 0;
  const filters: Filter[] = [];
  for (let stage = stages[i]; stage?.kind === 'match'; stage = stages[++i]) filters.push(stage.filter);
  const filter: Filter = filters.length === 1 ? (filters[0] as Filter) : filters.length === 0 ? EVERYTHING : { kind: 'and', of: filters };
  const sortStage = stages[i];
  const sort = sortStage?.kind === 'sort' ? sortStage.sort : [];
  if (sortStage?.kind === 'sort') i++;
  const skipStage = stages[i];
  const skip = skipStage?.kind === 'skip' ? skipStage.count : 0;
  if (skipStage?.kind === 'skip') i++;
  const limitStage = stages[i];
  const limit = limitStage?.kind === 'limit' ? limitStage.count : 0;
  if (limitStage?.kind === 'limit') i++;
  return { search: { filter, sort, skip, limit, projection: null, hint: null, checkDeadline: undefined }, rest: stages.slice(i) };
}

function* iterate(rows: Rows): Iterable<Buffer> {
  try {
    for (let doc = rows.next(); doc !== undefined; doc = rows.next()) yield doc;
  } finally {
    rows.pause();
  }
}

function collect(docs: Iterable<Buffer>): Buffer[] {
  const out: Buffer[] = [];
  let bytes = 0;
  for (const doc of docs) {
    bytes += doc.length;
    if (bytes > MAX_RESULT_BYTES) throw new MongoFailure(ErrorCode.memoryLimit, 'the result of the pipeline is larger than the embedded store keeps in memory');
    out.push(doc);
  }
  return out;
}
