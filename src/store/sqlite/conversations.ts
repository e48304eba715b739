import type { Database } from "bun:sqlite"
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import type {
  ConversationRecord,
  ConversationWrite,
  FindOptions,
  FoundParts,
  KeptPart,
} from "../conversations.ts"
import { ConversationFile } from "./conversations-file.ts"
import type { ConversationMethods } from "./conversations-on-demand.ts"
import type { Direct, GroupsOf } from "../methods.ts"
import { ALL_ACCOUNTS } from "./schemas/conversations.ts"

/** Minimum free bytes on the disk. They are reserved for the ledger, because no request is served without it. */
const MIN_FREE_BYTES = 128 * 1024 * 1024
/** Approximate size of a row in bytes, without its content. */
const ROW_BYTES = 300

interface SqliteConversations {
  readonly methods: Direct<GroupsOf<ConversationMethods>>
  close(): void
}

/**
 * Selects parts of responses that have not expired. Responses that were stored while the clock was wrong count as
 * expired.
 */
const FOUND =
  "FROM parts WHERE hash IN (SELECT value FROM json_each(?)) AND expires_at > ? AND at > ? AND at < ?"

/**
 * Stores the encrypted parts of conversations. Deleted parts are overwritten in the file. A file that is damaged or has
 * another version is replaced, because its content would expire within a day.
 * @param freeBytes returns the free bytes on the disk that contains a path.
 */
export function openSqliteConversations(
  path: string,
  freeBytes = freeBytesAt,
): SqliteConversations {
  const file = new ConversationFile(path)
  const parts: SqliteConversations["methods"]["parts"] = {
    keep: (writes) => {
      if (freeBytes(path) < MIN_FREE_BYTES) throw new Error(FULL)
      return file.use((database) => database.transaction(() => keep(database, writes)).immediate())
    },
    find: (hashes, options) => file.use((database) => find(database, hashes, options)),
    delete: (hash) => file.use((database) => deleteResponse(database, hash) > 0),
    sweep: (now, time) =>
      file.use((database) => {
        database.run("DELETE FROM parts WHERE expires_at <= ? OR at <= ? OR at >= ?", [
          now,
          now - time,
          now + time,
        ])
      }),
  }
  return { methods: { parts }, close: () => file.close() }
}

const FULL = `less than ${MIN_FREE_BYTES / 1_048_576} MB are free on the disk, which the ledger may need`

function freeBytesAt(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}

function keep(database: Database, writes: readonly ConversationWrite[]): void {
  for (const { record, room } of writes) {
    const { account, parts } = record
    const { accountBytes, totalBytes } = room
    // A response above the limit would evict all others and finally itself.
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
  { now, keep: time, max }: FindOptions,
): FoundParts {
  const values = [JSON.stringify(hashes), now, now - time, now + time] as const
  const bytes =
    database
      .query<{ bytes: number | null }, [string, number, number, number]>(
        `SELECT SUM(bytes) AS bytes ${FOUND}`,
      )
      .get(...values)?.bytes ?? 0
  if (bytes > max) return bytes
  return database
    .query<KeptPart, [string, number, number, number]>(`SELECT hash, encrypted ${FOUND}`)
    .all(...values)
}

function sizeOf({ encrypted }: KeptPart): number {
  return encrypted.byteLength + ROW_BYTES
}

function insert(database: Database, { account, at, expiresAt, parts }: ConversationRecord): void {
  const response = parts[0]?.hash ?? ""
  const remove = database.query("DELETE FROM parts WHERE hash = ?")
  const add = database.query("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)")
  for (const part of parts) {
    remove.run(part.hash)
    add.run(part.hash, response, account, at, expiresAt, sizeOf(part), part.encrypted)
  }
}

/** Deletes the oldest responses of an account with all their parts until the remaining ones fit. */
function makeAccountRoom(database: Database, account: string, max: number): void {
  while (bytesOf(database, account) > max && deleteOldest(database, account));
}

/**
 * Reduces the total over all accounts to its maximum, by deleting the oldest responses of the account that stores the
 * most.
 */
function makeTotalRoom(database: Database, max: number): void {
  const largest = database.query<{ account: string }, []>(
    `SELECT account FROM sizes WHERE account <> '${ALL_ACCOUNTS}' ORDER BY bytes DESC LIMIT 1`,
  )
  while (bytesOf(database, ALL_ACCOUNTS) > max) {
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

/**
 * Deletes the oldest response of an account.
 * @returns whether there was a response to delete.
 */
function deleteOldest(database: Database, account: string): boolean {
  const found = database
    .query<{ response: string }, [string]>(
      "SELECT response FROM parts WHERE account = ? ORDER BY at LIMIT 1",
    )
    .get(account)
  return found !== null && deleteResponse(database, found.response) > 0
}

function deleteResponse(database: Database, response: string): number {
  return database.run("DELETE FROM parts WHERE response = ?", [response]).changes
}
