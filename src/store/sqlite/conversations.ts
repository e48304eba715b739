import { Database, SQLiteError } from "bun:sqlite"
import { rmSync, statSync } from "node:fs"
import type {
  ConversationRecord,
  ConversationWrite,
  FindOrder,
  FoundParts,
  KeptPart,
} from "../conversation-records.ts"
import { makePrivateFile } from "../private-file.ts"
import type { DirectSteps } from "./serve-steps.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long one process waits for another, milliseconds. Whoever asks for another answer waits behind it. */
const BUSY_TIME = 2_000
/** What SQLite says of a file that nothing can be read of any more. */
const DAMAGED = ["SQLITE_CORRUPT", "SQLITE_NOTADB"]
/** What a row takes beside its content, about. Bytes. */
const ROW_BYTES = 300
/** Of all accounts together; no account is called so. */
const EVERYBODY = ""

const SCHEMA = `
CREATE TABLE IF NOT EXISTS parts (
  hash TEXT PRIMARY KEY,
  answer TEXT NOT NULL,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS parts_by_answer ON parts (answer);
CREATE INDEX IF NOT EXISTS parts_by_account ON parts (account, at);
CREATE INDEX IF NOT EXISTS parts_by_time ON parts (at);
CREATE INDEX IF NOT EXISTS parts_by_expiry ON parts (expires_at);
CREATE TABLE IF NOT EXISTS sizes (account TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS sizes_by_bytes ON sizes (bytes);
CREATE TRIGGER IF NOT EXISTS parts_kept AFTER INSERT ON parts BEGIN
  INSERT INTO sizes VALUES (new.account, new.bytes), ('${EVERYBODY}', new.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS parts_deleted AFTER DELETE ON parts BEGIN
  UPDATE sizes SET bytes = bytes - old.bytes WHERE account IN (old.account, '${EVERYBODY}');
  DELETE FROM sizes WHERE account = old.account AND bytes <= 0;
END;
`

/** A clock may have been wrong when an answer was kept, in either way. */
const FOUND =
  "FROM parts WHERE hash IN (SELECT value FROM json_each(?)) AND expires_at > ? AND at > ? AND at < ?"

/**
 * The parts of kept conversations, sealed. What is deleted is also gone from the file. A file that is damaged is begun
 * again: what was in it would have gone within a day.
 */
export function openSqliteConversations(path: string): DirectSteps {
  const file = new ConversationFile(path)
  const steps = {
    keepConversations: (writes: readonly ConversationWrite[]) =>
      file.use((database) => database.transaction(() => keep(database, writes)).immediate()),
    findConversations: (hashes: readonly string[], order: FindOrder) =>
      file.use((database) => find(database, hashes, order)),
    deleteConversation: (hash: string): boolean =>
      file.use((database) => deleteAnswer(database, hash) > 0),
    sweepConversations: (now: number, time: number) =>
      file.use((database) => {
        database.run("DELETE FROM parts WHERE expires_at <= ? OR at <= ? OR at >= ?", [
          now,
          now - time,
          now + time,
        ])
      }),
  }
  return { ...steps, close: () => file.close() } as DirectSteps
}

/** The file as long as it is the one at its path and can be read. */
class ConversationFile {
  readonly #path: string
  #open: { readonly database: Database; readonly inode: number } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** @throws Error also where the file was damaged: it is begun again, and whoever asks next has a new one. */
  use<Result>(step: (database: Database) => Result): Result {
    try {
      return step(this.#current())
    } catch (error) {
      if (isDamage(error)) this.#beginAgain()
      throw error
    }
  }

  close(): void {
    this.#open?.database.close()
    this.#open = undefined
  }

  /** Somebody may have deleted it, or another process begun it again. */
  #current(): Database {
    if (this.#open && this.#open.inode !== inodeOf(this.#path)) this.close()
    this.#open ??= opened(this.#path)
    return this.#open.database
  }

  #beginAgain(): void {
    const isOurs = this.#open === undefined || this.#open.inode === inodeOf(this.#path)
    this.close()
    if (!isOurs) return
    for (const end of ["-wal", "-shm", ""]) rmSync(this.#path + end, { force: true })
  }
}

function opened(path: string): { readonly database: Database; readonly inode: number } {
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
    useWriteAheadLog(database)
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA secure_delete = ON")
    database.transaction(() => database.run(SCHEMA)).immediate()
  } catch (error) {
    database.close()
    throw error
  }
  return { database, inode: inodeOf(path) }
}

/** 0 where there is none. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}

function isDamage(error: unknown): boolean {
  if (!(error instanceof SQLiteError)) return false
  const { code = "" } = error
  return DAMAGED.some((damage) => code.startsWith(damage))
}

function keep(database: Database, writes: readonly ConversationWrite[]): void {
  for (const { record, room } of writes) {
    const { account, parts } = record
    const { accountBytes, totalBytes } = room
    // It would put everything else out, and then itself.
    if (parts.reduce((sum, part) => sum + sizeOf(part), 0) > Math.min(accountBytes, totalBytes)) {
      continue
    }
    insert(database, record)
    makeAccountRoom(database, account, accountBytes)
    makeTotalRoom(database, totalBytes)
  }
}

function find(
  database: Database,
  hashes: readonly string[],
  { now, keep: time, most }: FindOrder,
): FoundParts {
  const order = [JSON.stringify(hashes), now, now - time, now + time] as const
  const bytes =
    database
      .query<{ bytes: number | null }, [string, number, number, number]>(
        `SELECT SUM(bytes) AS bytes ${FOUND}`,
      )
      .get(...order)?.bytes ?? 0
  if (bytes > most) return bytes
  return database
    .query<KeptPart, [string, number, number, number]>(`SELECT hash, sealed ${FOUND}`)
    .all(...order)
}

function sizeOf({ sealed }: KeptPart): number {
  return sealed.byteLength + ROW_BYTES
}

function insert(database: Database, { account, at, expiresAt, parts }: ConversationRecord): void {
  const answer = parts[0]?.hash ?? ""
  const remove = database.query("DELETE FROM parts WHERE hash = ?")
  const add = database.query("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)")
  for (const part of parts) {
    remove.run(part.hash)
    add.run(part.hash, answer, account, at, expiresAt, sizeOf(part), part.sealed)
  }
}

/** The oldest answers of an account go, each with all its parts, until what is left fits. */
function makeAccountRoom(database: Database, account: string, most: number): void {
  while (bytesOf(database, account) > most && deleteOldest(database, account));
}

/** Whoever keeps most gives way: no account loses its answers to another that keeps more. */
function makeTotalRoom(database: Database, most: number): void {
  const largest = database.query<{ account: string }, []>(
    `SELECT account FROM sizes WHERE account <> '${EVERYBODY}' ORDER BY bytes DESC LIMIT 1`,
  )
  while (bytesOf(database, EVERYBODY) > most) {
    const found = largest.get()
    if (!found || !deleteOldest(database, found.account)) return
  }
}

function bytesOf(database: Database, account: string): number {
  return (
    database
      .query<{ bytes: number }, [string]>("SELECT bytes FROM sizes WHERE account = ?")
      .get(account)?.bytes ?? 0
  )
}

/** @returns whether there was one. */
function deleteOldest(database: Database, account: string): boolean {
  const found = database
    .query<{ answer: string }, [string]>(
      "SELECT answer FROM parts WHERE account = ? ORDER BY at LIMIT 1",
    )
    .get(account)
  return found !== null && deleteAnswer(database, found.answer) > 0
}

function deleteAnswer(database: Database, answer: string): number {
  return database.run("DELETE FROM parts WHERE answer = ?", [answer]).changes
}
