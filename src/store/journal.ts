/** A settlement on a node's own disk that may not be in the database yet. */
export interface JournalLine {
  readonly number: number
  /** The node that settled the request and pays from its lease. */
  readonly node: string
  /** The posting, in the format of `src/ledger/journal-writer.ts`. */
  readonly body: string
}

/** The state of a journal. */
export interface JournalState {
  /** Number of settlements that are not in the database yet. */
  readonly waiting: number
  /** Creation time of the oldest of these settlements in Unix milliseconds; null if there are none. */
  readonly oldest: number | null
  /** Number of settlements that the database rejected, which an operator has to handle. */
  readonly rejected: number
}

export interface JournalAddition {
  readonly node: string
  readonly bodies: readonly string[]
  /** Numbers of lines to delete, because they are in the database now. */
  readonly done: readonly number[]
}

/** The lines of a journal. */
export interface JournalLines {
  /**
   * Adds lines. Resolves when they are on the disk.
   * @returns the number of the first line. The others have the following numbers.
   */
  add(addition: JournalAddition): Promise<number>
  /** Lists the lines after a number, in ascending order, without rejected lines. */
  list(after: number, limit: number): Promise<JournalLine[]>
  /** Marks a line that the database rejected. */
  reject(number: number, reason: string): Promise<void>
  state(): Promise<JournalState>
}

/** The journal that all processes of a data folder share. */
export interface Journal extends AsyncDisposable {
  readonly lines: JournalLines
}
