/** A settlement on a node's own disk that is not known to be in the database yet. */
export interface JournalLine {
  readonly number: number
  /** The node that settled it, with whose lease it is paid. */
  readonly node: string
  /** The posting, as `src/ledger/journal-posting.ts` writes it. */
  readonly body: string
}

/** What a journal holds. */
export interface JournalState {
  /** Settlements that are not in the database yet. */
  readonly waiting: number
  /** When the oldest of them was written, Unix milliseconds; null when there is none. */
  readonly oldest: number | null
  /** Settlements that the database refused: someone has to look at them. */
  readonly refused: number
}

export interface JournalAddition {
  readonly node: string
  readonly bodies: readonly string[]
  /** Lines that are in the database by now, and go. */
  readonly done: readonly number[]
}

/** Settlements on a node's own disk. */
export interface JournalLines {
  /**
   * Resolves when the lines are on the disk.
   * @returns the number of the first one; the others follow it.
   */
  add(addition: JournalAddition): Promise<number>
  /** Lines after a number, in order. Not those that the database has refused. */
  list(after: number, limit: number): Promise<JournalLine[]>
  /** Notes that the database refuses a line. */
  refuse(number: number, reason: string): Promise<void>
  state(): Promise<JournalState>
}

/** The journal of all processes of a data folder. */
export interface Journal extends AsyncDisposable {
  readonly lines: JournalLines
}
