import { expect, test } from "bun:test"
import type {
  ConversationParts,
  ConversationRecord,
  FindOptions,
} from "../../../src/store/conversations.ts"
import type { Engine } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

const HOUR = 3_600_000
const NOW = 1_800_000_000_000
const ROOM = { accountBytes: 1 << 20, totalBytes: 1 << 22 }

function response(
  name: string,
  order: Partial<ConversationRecord> & { bytes?: number } = {},
): ConversationRecord {
  const { bytes = 100, account = "ann", at = NOW } = order
  const parts = [{ hash: name, encrypted: new Uint8Array(bytes).fill(7) }]
  return { account, at, expiresAt: at + 24 * HOUR, parts, ...order }
}

function query(more: Partial<FindOptions> = {}): FindOptions {
  return { now: NOW, keep: 24 * HOUR, max: 1 << 24, ...more }
}

/** Returns the names of the conversations that are found. */
async function found(
  parts: ConversationParts,
  names: readonly string[],
  more: Partial<FindOptions> = {},
): Promise<string[]> {
  const kept = await parts.find(names, query(more))
  if (typeof kept === "number") throw new Error(`${kept} bytes are too many`)
  return kept.map(({ hash }) => hash).toSorted()
}

/** Tests that an engine fulfills this contract. */
export function conversationContract(engine: Engine): void {
  test("parts of a stored response are read unchanged, and are deleted with it", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    await using other = await engine.serve(directory.path)
    const { conversations } = served
    const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => index % 256)
    const parts = ["whole", "one", "two", "empty"].map((hash, index) => ({
      hash,
      encrypted: index === 3 ? new Uint8Array() : bytes.subarray(index),
    }))
    await conversations.keep([
      { record: response("whole", { parts }), room: { ...ROOM, accountBytes: 1 << 22 } },
    ])
    const kept = await other.conversations.find(["two", "none", "whole", "empty"], query())
    if (typeof kept === "number") throw new Error("too many")
    const encrypted = new Map(kept.map((part) => [part.hash, Buffer.from(part.encrypted)]))
    expect([...encrypted.keys()].toSorted()).toEqual(["empty", "two", "whole"])
    expect(encrypted.get("two")?.equals(Buffer.from(bytes.subarray(2)))).toBe(true)
    expect(encrypted.get("empty")?.byteLength).toBe(0)
    expect(
      await other.conversations.find(["one", "two"], query({ max: 1_000_000 })),
    ).toBeGreaterThan(1_390_000)
    expect(await other.conversations.delete("one")).toBe(false)
    expect(await other.conversations.delete("whole")).toBe(true)
    expect(await conversations.delete("whole")).toBe(false)
    expect(await found(conversations, ["whole", "one", "two", "empty"])).toEqual([])
  })

  test("a response larger than its account's limit is not stored and evicts no other response", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { conversations } = served
    await conversations.keep([
      { record: response("small"), room: ROOM },
      { record: response("huge", { bytes: ROOM.accountBytes + 1 }), room: ROOM },
    ])
    expect(await found(conversations, ["small", "huge"])).toEqual(["small"])
  })

  test("the oldest responses of an account are evicted for its newest response", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { conversations } = served
    const room = { accountBytes: 10_000, totalBytes: 1 << 22 }
    const names = ["a", "b", "c", "d", "e"]
    for (const [index, name] of names.entries()) {
      const record = response(name, { bytes: 3_000, at: NOW + (index === 1 ? 9 : index) })
      await conversations.keep([{ record, room }])
    }
    await conversations.keep([{ record: response("of bob", { account: "bob" }), room }])
    expect(await found(conversations, [...names, "of bob"])).toEqual(["b", "d", "e", "of bob"])
  })

  test("responses of the largest account are evicted when the total limit is exceeded", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { conversations } = served
    const room = { accountBytes: 1 << 20, totalBytes: 10_000 }
    await conversations.keep([{ record: response("modest", { account: "bob" }), room }])
    for (const name of ["first", "second", "third"]) {
      await conversations.keep([{ record: response(name, { bytes: 4_000 }), room }])
    }
    const names = ["modest", "first", "second", "third"]
    expect(await found(conversations, names)).toEqual(["modest", "second", "third"])
  })

  test("responses expire at their stored time, or earlier by a newer, shorter retention", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { conversations } = served
    const kept = {
      over: NOW - 2 * HOUR,
      ahead: NOW + 1_000 * HOUR,
      kept: NOW,
      soon: NOW + HOUR / 2,
    }
    for (const [name, at] of Object.entries(kept)) {
      await conversations.keep([{ record: response(name, { at }), room: ROOM }])
    }
    const names = Object.keys(kept)
    expect(await found(conversations, names)).toEqual(["kept", "over", "soon"])
    expect(await found(conversations, names, { keep: HOUR })).toEqual(["kept", "soon"])
    expect(await found(conversations, names, { now: NOW + 24 * HOUR })).toEqual(["soon"])
    await conversations.sweep(NOW, HOUR)
    expect(await found(conversations, names, { keep: 2_000 * HOUR })).toEqual(["kept", "soon"])
    await conversations.sweep(NOW, 0)
    expect(await found(conversations, names)).toEqual([])
  })

  test("the stored size stays correct while nodes insert, delete and sweep simultaneously", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    await using other = await engine.serve(directory.path)
    const room = { accountBytes: 20_000, totalBytes: 1 << 22 }
    const nodes = [served.conversations, other.conversations]
    const names: string[] = []
    await Promise.all(
      nodes.flatMap((node, number) =>
        Array.from({ length: 12 }, async (_, index) => {
          const name = `${number} ${index}`
          names.push(name)
          const accounts = number === 0 ? ["ann", "bob"] : ["bob", "ann"]
          await node.keep(
            accounts.map((account) => ({
              record: response(`${name} ${account}`, { account, bytes: 700, at: NOW + index }),
              room: account === "ann" ? ROOM : room,
            })),
          )
          if (index % 3 === 0) await nodes[1 - number]?.delete(`${name} ann`)
          if (index % 4 === 0) await node.sweep(NOW, 24 * HOUR)
        }),
      ),
    )
    const ofAnn = names.map((name) => `${name} ann`)
    expect(await found(served.conversations, ofAnn)).toHaveLength(16)
    const ofBob = names.map((name) => `${name} bob`)
    expect((await found(served.conversations, ofBob)).length).toBe(20)
    // New conversations may use the remaining space. 16 of 20 places are taken before, and all of them afterwards.
    for (let index = 0; index < 5; index++) {
      const record = response(`more ${index}`, { bytes: 700, at: NOW + 100 + index })
      await other.conversations.keep([{ record, room }])
    }
    const all = [...ofAnn, ...Array.from({ length: 5 }, (_, index) => `more ${index}`)]
    expect(await found(served.conversations, all)).toHaveLength(20)
  })

  test("storing a response twice creates one response", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { conversations } = served
    const room = { accountBytes: 1_000, totalBytes: 1 << 22 }
    for (let turn = 0; turn < 4; turn++) {
      await conversations.keep([
        { record: response("one"), room },
        { record: response("one"), room },
      ])
    }
    await conversations.keep([{ record: response("two", { at: NOW + 1 }), room }])
    expect(await found(conversations, ["one", "two"])).toEqual(["one", "two"])
  })
}
