/** The part of sql.js that is used. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  interface Statement {
    getColumnNames(): string[];
    step(): boolean;
    get(): unknown[];
    free(): void;
  }
  class Database {
    constructor(bytes?: Uint8Array);
    exec(sql: string): unknown;
    prepare(sql: string): Statement;
    export(): Uint8Array;
    close(): void;
  }
  export default function initSqlJs(): Promise<{ Database: typeof Database }>;
}
