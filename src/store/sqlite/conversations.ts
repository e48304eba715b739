import { Database } from "bun:sqlite"
import type {
  ConversationRecord,
  ConversationRoom,
  FindOrder,
  KeptPart,
} from "../conversation-records.ts"
import { makePrivateFile } from "../private-file.ts"
import type { DirectSteps } from "./serve-steps.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long one process waits for another, milliseconds. */
const BUSY_TIME = 10_000
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
CREATE TRIGGER IF NOT EXISTS parts_kept AFTER INSERT ON parts BEGIN
  INSERT INTO sizes VALUES (new.account, new.bytes), ('${EVERYBODY}', new.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS parts_deleted AFTER DELETE ON parts BEGIN
  UPDATE sizes SET bytes = bytes - old.bytes WHERE account IN (old.account, '${EVERYBODY}');
  DELETE FROM sizes WHERE account = old.account AND bytes <= 0;
END;
`

const FOUND = "FROM parts WHERE hash IN (SELECT value FROM json_each(?)) AND expires_at > ?"

/** The parts of kept conversations, sealed. What is deleted is also gone from the file. */
export function openSqliteConversations(path: string): DirectSteps {
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  useWriteAheadLog(database)
  database.run("PRAGMA synchronous = NORMAL")
  database.run("PRAGMA secure_delete = ON")
  database.transaction(() => database.run(SCHEMA)).immediate()
  const steps = stepsOf(database)
  return { ...steps, close: () => database.close() } as DirectSteps
}

function stepsOf(database: Database) {
  const keep = database.transaction((record: ConversationRecord, room: ConversationRoom) => {
    insert(database, record)
    makeRoom(database, record.account, room.accountBytes)
    makeRoom(database, EVERYBODY, room.totalBytes)
  })
  return {
    keepConversation: (record: ConversationRecord, room: ConversationRoom) => {
      keep.immediate(record, room)
    },
    findConversations: (hashes: readonly string[], { now, most }: FindOrder): KeptPart[] | null => {
      const order = [JSON.stringify(hashes), now] as const
      const sum = database.query<{ bytes: number | null }, [string, number]>(
        `SELECT SUM(bytes) AS bytes ${FOUND}`,
      )
      if ((sum.get(...order)?.bytes ?? 0) > most) return null
      return database
        .query<KeptPart, [string, number]>(`SELECT hash, sealed ${FOUND}`)
        .all(...order)
    },
    deleteConversation: (hash: string): boolean =>
      database.run("DELETE FROM parts WHERE answer = ?", [hash]).changes > 0,
    sweepConversations: (now: number) => {
      database.run("DELETE FROM parts WHERE expires_at <= ?", [now])
    },
  }
}

function insert(database: Database, { account, at, expiresAt, parts }: ConversationRecord): void {
  const answer = parts[0]?.hash ?? ""
  const remove = database.query("DELETE FROM parts WHERE hash = ?")
  const add = database.query("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)")
  for (const { hash, sealed } of parts) {
    const bytes = sealed.byteLength + ROW_BYTES
    remove.run(hash)
    add.run(hash, answer, account, at, expiresAt, bytes, sealed)
  }
}

/** The oldest answers go, each with all its parts, until what is left fits. */
function makeRoom(database: Database, account: string, most: number): void {
  const size = database.query<{ bytes: number }, [string]>(
    "SELECT bytes FROM sizes WHERE account = ?",
  )
  const oldest = database.query<{ answer: string }, string[]>(
    account === EVERYBODY
      ? "SELECT answer FROM parts ORDER BY at LIMIT 1"
      : "SELECT answer FROM parts WHERE account = ? ORDER BY at LIMIT 1",
  )
  const whose = account === EVERYBODY ? [] : [account]
  while ((size.get(account)?.bytes ?? 0) > most) {
    const found = oldest.get(...whose)
    if (!found) return
    database.run("DELETE FROM parts WHERE answer = ?", [found.answer])
  }
}
