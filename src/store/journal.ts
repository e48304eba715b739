/** A settlement on a node's own disk that may not be in the database yet. */
export interface JournalLine {
  readonly number: number
  /** The node that settled it and pays from its lease. */
  readonly node: string
  /** The posting, as written by `src/ledger/journal-posting.ts`. */
  readonly body: string
}

/** The state of a journal. */
export interface JournalState {
  /** Number of settlements that are not in the database yet. */
  readonly waiting: number
  /** Creation time of the oldest of them, in Unix milliseconds; null if there are no such settlements. */
  readonly oldest: number | null
  /** Number of settlements that the database rejected, which need an operator. */
  readonly refused: number
}

export interface JournalAddition {
  readonly node: string
  readonly bodies: readonly string[]
  /** Lines to delete because they are now in the database. */
  readonly done: readonly number[]
}

/** The lines of a journal. */
export interface JournalLines {
  /**
   * Adds lines. Resolves when they are on the disk.
   * @returns the number of the first line; the others follow it.
   */
  add(addition: JournalAddition): Promise<number>
  /** Lists the lines after a number, in order, without rejected ones. */
  list(after: number, limit: number): Promise<JournalLine[]>
  /** Marks a line that the database rejected. */
  refuse(number: number, reason: string): Promise<void>
  state(): Promise<JournalState>
}

/** The journal that all processes of a data folder share. */
export interface Journal extends AsyncDisposable {
  readonly lines: JournalLines
}
