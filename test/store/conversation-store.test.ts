import { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ConversationRecord, KeptPart } from "../../src/store/conversations.ts"
import { ConversationStore } from "../../src/store/conversation-store.ts"
import { ConversationsOnDemand } from "../../src/store/sqlite/conversations-on-demand.ts"
import { openSqliteConversations } from "../../src/store/sqlite/conversations.ts"

const HOUR = 3_600_000
const NOW = 1_800_000_000_000
const ROOM = { accountBytes: 1 << 20, totalBytes: 1 << 22 }

let folder: string
let store: ConversationStore
let others: AsyncDisposable[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-conversations-"))
  others = []
  store = opened()
})

afterEach(async () => {
  for (const each of others) await each[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function opened(): ConversationStore {
  const parts = new ConversationsOnDemand(join(folder, "tollgate.db"))
  const made = new ConversationStore(parts)
  others.push(made, parts)
  return made
}

function path(): string {
  return join(folder, "conversations.db")
}

function response(name: string, order: Partial<ConversationRecord> & { bytes?: number } = {}) {
  const { bytes = 100, account = "ann", at = NOW } = order
  const parts = [{ hash: name, encrypted: new Uint8Array(bytes).fill(7) }]
  return { account, at, expiresAt: at + 24 * HOUR, parts, ...order }
}

async function found(name: string, { now = NOW, keep = 24 * HOUR, by = store } = {}) {
  const parts = await by.find([name], { now, keep, max: 1 << 24 })
  return (parts as KeptPart[]).length > 0
}

describe("the size limits of the conversation store", () => {
  test("evict no responses to store a response that is larger than the total limit", async () => {
    await store.keep(response("small"), ROOM)
    await store.keep(response("huge", { bytes: ROOM.accountBytes + 1 }), ROOM)
    expect(await found("small")).toBe(true)
    expect(await found("huge")).toBe(false)
  })

  test("evict responses of the largest account first", async () => {
    const room = { accountBytes: 1 << 20, totalBytes: 10_000 }
    await store.keep(response("modest", { account: "bob" }), room)
    for (const name of ["first", "second", "third"]) {
      await store.keep(response(name, { bytes: 4_000 }), room)
    }
    expect(await found("modest")).toBe(true)
    expect(await found("first")).toBe(false)
    expect(await found("third")).toBe(true)
  })
})

describe("the retention of the conversation store", () => {
  test("ends at the stored time, or earlier if the setting was shortened", async () => {
    await store.keep(response("old"), ROOM)
    expect(await found("old", { now: NOW + 23 * HOUR })).toBe(true)
    expect(await found("old", { now: NOW + 24 * HOUR })).toBe(false)
    expect(await found("old", { now: NOW + 2 * HOUR, keep: HOUR })).toBe(false)
  })

  test("deletes a response with a time far in the future", async () => {
    await store.keep(response("ahead", { at: NOW + 1_000 * HOUR }), ROOM)
    expect(await found("ahead")).toBe(false)
    await store.keep(response("a little", { at: NOW + HOUR }), ROOM)
    expect(await found("a little")).toBe(true)
  })

  test("deletes responses after their retention, and all responses if storage is turned off", async () => {
    for (const [name, at] of [
      ["over", NOW - 2 * HOUR],
      ["ahead", NOW + 1_000 * HOUR],
      ["kept", NOW],
    ] as const) {
      await store.keep(response(name, { at }), ROOM)
    }
    await store.sweep(NOW, HOUR)
    expect(rows()).toEqual(["kept"])
    await store.sweep(NOW, 0)
    expect(rows()).toEqual([])
  })
})

describe("the conversation file", () => {
  test("gets replaced if it is not a database", async () => {
    writeFileSync(path(), "no database at all, but long enough to be looked at".repeat(100))
    expect(await store.keep(response("lost"), ROOM).catch(() => "told")).toBe("told")
    await store.keep(response("next"), ROOM)
    expect(await found("next")).toBe(true)
    expect(await found("next", { by: opened() })).toBe(true)
  })

  test("gets replaced if it is truncated while in use", async () => {
    for (let turn = 0; turn < 40; turn++) {
      await store.keep(response(`turn ${turn}`, { bytes: 20_000 }), ROOM)
    }
    const writer = new Database(path())
    writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    truncateSync(path(), Math.floor(statSync(path()).size / 2))
    const damaged = opened()
    for (let turn = 0; turn < 40; turn++)
      await damaged.find([`turn ${turn}`], order()).catch(() => 0)
    await damaged.keep(response("told"), ROOM).catch(() => 0)
    await damaged.keep(response("next"), ROOM)
    expect(await found("next", { by: damaged })).toBe(true)
    await store.keep(response("of the other"), ROOM).catch(() => 0)
    await store.keep(response("of the other"), ROOM)
    expect(await found("of the other", { by: damaged })).toBe(true)
  })

  test("gets replaced if its write-ahead log is truncated while two processes use the file", async () => {
    for (let turn = 0; turn < 40; turn++) {
      await store.keep(response(`turn ${turn}`, { bytes: 20_000 }), ROOM)
    }
    const second = opened()
    truncateSync(`${path()}-wal`, Math.floor(statSync(`${path()}-wal`).size / 2))
    for (let turn = 0; turn < 40; turn++)
      await second.find([`turn ${turn}`], order()).catch(() => 0)
    await second.keep(response("told"), ROOM).catch(() => 0)
    await second.keep(response("next"), ROOM)
    expect(await found("next")).toBe(true)
    await store.keep(response("of the other"), ROOM)
    expect(await found("of the other", { by: second })).toBe(true)
  })

  test("gets replaced if it is from another version or program", async () => {
    const other = new Database(path(), { create: true })
    other.run("CREATE TABLE parts (hash TEXT, content BLOB)")
    other.close()
    expect(await store.keep(response("told"), ROOM).catch(() => "told")).toBe("told")
    await store.keep(response("next"), ROOM)
    expect(await found("next", { by: opened() })).toBe(true)
  })

  test("gets replaced if it is deleted while in use", async () => {
    await store.keep(response("gone"), ROOM)
    for (const end of ["", "-wal", "-shm"]) rmSync(path() + end, { force: true })
    await store.keep(response("next"), ROOM)
    expect(existsSync(path())).toBe(true)
    expect(await found("next", { by: opened() })).toBe(true)
    expect(await found("gone")).toBe(false)
  })

  test("does not grow on a nearly full disk, which the ledger needs", async () => {
    let free = 1 << 20
    const file = openSqliteConversations(path(), () => free)
    const keep = (name: string) => file.methods.parts.keep([{ record: response(name), room: ROOM }])
    expect(() => keep("too much")).toThrow("less than 128 MB are free")
    expect(await found("too much")).toBe(false)
    free = 1 << 30
    keep("enough")
    expect(await found("enough")).toBe(true)
    file.close()
  })

  test("can be used by all processes", async () => {
    const second = opened()
    await store.keep(response("by the first"), ROOM)
    await second.keep(response("by the second"), ROOM)
    expect(await found("by the second")).toBe(true)
    expect(await found("by the first", { by: second })).toBe(true)
    expect(await second.delete("by the first")).toBe(true)
    expect(await found("by the first")).toBe(false)
  })

  test("does not delay reads of responses that are still to be written while it is locked", async () => {
    await store.keep(response("first"), ROOM)
    const locking = new Database(path())
    locking.run("BEGIN IMMEDIATE")
    const writing = [store.keep(response("second"), ROOM), store.keep(response("third"), ROOM)]
    expect(await found("second")).toBe(true)
    expect(await found("third")).toBe(true)
    locking.run("COMMIT")
    locking.close()
    await Promise.all(writing)
    expect(rows()).toEqual(["first", "second", "third"])
  })

  test("loses only responses that are still to be written while it is locked", async () => {
    await store.keep(response("first"), ROOM)
    const locking = new Database(path())
    locking.run("BEGIN IMMEDIATE")
    const lost = store.keep(response("second"), ROOM)
    expect(await lost.catch((error: Error) => error.message)).toContain("locked")
    expect(await found("second")).toBe(false)
    locking.run("COMMIT")
    locking.close()
    await store.keep(response("third"), ROOM)
    expect(rows()).toEqual(["first", "third"])
  })
})

test("the conversation store reports the size of a response that exceeds its limit", async () => {
  await store.keep(response("large", { bytes: 50_000 }), ROOM)
  const told = await store.find(["large"], { ...order(), max: 10_000 })
  expect(told).toBeGreaterThanOrEqual(50_000)
})

function order() {
  return { now: NOW, keep: 24 * HOUR, max: 1 << 24 }
}

/** Returns the names in the file. */
function rows(): string[] {
  expect(readFileSync(path()).length).toBeGreaterThan(0)
  const reader = new Database(path())
  try {
    return reader
      .query<{ hash: string }, []>("SELECT hash FROM parts ORDER BY hash")
      .all()
      .map(({ hash }) => hash)
  } finally {
    reader.close()
  }
}
