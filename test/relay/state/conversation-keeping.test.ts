import { describe, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { GatewayError } from "../../../src/canon/errors.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { Conversations } from "../../../src/relay/state/conversations.ts"
import type { ConversationKeeper } from "../../../src/relay/state/conversation-texts.ts"
import type { FindOptions, KeptPart } from "../../../src/store/conversations.ts"
import type { JsonValue } from "../../../src/canon/json.ts"
import { SLICE_BYTES } from "../../../src/canon/sliced-json.ts"
import type { Call } from "../../../src/relay/request/call.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { asked, PATH, statusOf } from "./conversation-turns.ts"
import { servedTime } from "../../support/served-time.ts"
import { until } from "../../support/until.ts"
import { CONVERSATION } from "../../../src/dialects/openai-responses/state.ts"

const MEBIBYTE = 1 << 20

function pathOf(gateway: TestGateway): string {
  return join(gateway.settings.data, "conversations.db")
}

function told(gateway: TestGateway): number {
  return gateway.heard.filter(({ name }) => name === "conversationNotStored").length
}

test("a conversation that exceeds the memory limit is not loaded", async () => {
  const orders: FindOptions[] = []
  const nothing = () => Promise.resolve()
  const keeper: ConversationKeeper = {
    keep: nothing,
    sweep: nothing,
    delete: () => Promise.resolve(false),
    find(_, order) {
      orders.push(order)
      return Promise.resolve(5 * MEBIBYTE)
    },
  }
  using conversations = new Conversations({
    keeper,
    hasher: new KeyHasher("pepper"),
    secret: "secret",
    settings: () => ({ keep: 60_000, accountBytes: MEBIBYTE, totalBytes: MEBIBYTE }),
    failed: () => undefined,
  })
  const budget = new MemoryBudget(64 * MEBIBYTE)
  using busy = budget.open({ id: "other", account: "other" })
  busy.takeBody(40 * MEBIBYTE)
  using memory = budget.open({ id: "key", account: "ann" })
  const rejected = await conversations
    .find("ann", "resp_1", memory)
    .catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(GatewayError)
  expect(rejected).toMatchObject({ kind: "overloaded" })
  expect(orders.map(({ max }) => max < MEBIBYTE)).toEqual([true])
})

describe("a long stored conversation", () => {
  const account = "ann"
  const keep = 60_000
  const parts = new Map<string, KeptPart>()
  let reads = 0
  const keeper: ConversationKeeper = {
    keep(record) {
      for (const part of record.parts) parts.set(part.hash, part)
      return Promise.resolve()
    },
    sweep: () => Promise.resolve(),
    delete: () => Promise.resolve(false),
    find(hashes, { max }) {
      reads++
      const found = hashes.flatMap((hash) => parts.get(hash) ?? [])
      const bytes = found.reduce((sum, { encrypted }) => sum + encrypted.byteLength, 0)
      return Promise.resolve(bytes > max ? bytes : found)
    },
  }
  const conversations = () =>
    new Conversations({
      keeper,
      hasher: new KeyHasher("pepper"),
      secret: "secret",
      settings: () => ({ keep, accountBytes: 64 * MEBIBYTE, totalBytes: 64 * MEBIBYTE }),
      failed: () => undefined,
    })

  /** Stores a response with its input. */
  async function store(
    stored: Conversations,
    id: string,
    input: JsonValue[],
    output: JsonValue[] = [],
  ): Promise<void> {
    using memory = new MemoryBudget(512 * MEBIBYTE).open({ id: "key", account })
    const body = { model: "m", input }
    const call = {
      id: "req_1",
      key: { account },
      bodyBytes: 3 * MEBIBYTE,
      memory,
    } as unknown as Call
    await stored.keep({ call, form: CONVERSATION, body }, { id, status: "completed", output })
  }

  /** Returns the number of turns of the event loop that are left for other work during a step. */
  async function turnsDuring(step: () => Promise<unknown>): Promise<number> {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await step()
    isOver = true
    return turns
  }

  test("takes several slices to load, so that other requests are not blocked", async () => {
    using stored = conversations()
    const row = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, index) => [`n${index}`, index]),
    )
    await store(
      stored,
      "resp_long",
      Array.from({ length: 20 }, () => row),
    )
    const bytes = parts.values().reduce((sum, { encrypted }) => sum + encrypted.byteLength, 0)
    expect(bytes).toBeGreaterThan(2 * MEBIBYTE)
    using memory = new MemoryBudget(512 * MEBIBYTE).open({ id: "key", account })
    const turns = await turnsDuring(async () => {
      expect((await stored.find(account, "resp_long", memory))?.before).toHaveLength(20)
    })
    // Each slice needs at least one turn to scan and one turn to parse.
    expect(turns).toBeGreaterThanOrEqual(2 * Math.floor(bytes / SLICE_BYTES))
  })

  test("can be checked for existence without being loaded", async () => {
    using stored = conversations()
    reads = 0
    expect(await stored.has(account, "resp_long")).toBe(true)
    expect(await stored.has(account, "resp_none")).toBe(false)
    expect(await stored.has("ben", "resp_long")).toBe(false)
    expect(reads).toBe(3)
  })

  test("keeps all digits of large integers in its input", async () => {
    using stored = conversations()
    await store(stored, "resp_digits", [{ seed: 9_007_199_254_740_993n as unknown as number }])
    using memory = new MemoryBudget(64 * MEBIBYTE).open({ id: "key", account })
    const found = await stored.find(account, "resp_digits", memory)
    expect(JSON.stringify(found?.before)).toBe('[{"seed":9007199254740993}]')
  })

  const rows = (count: number) =>
    Array.from({ length: count }, () =>
      Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [index, index])),
    )

  test.each([
    ["values", [Array.from({ length: 210_000 }, () => 1)]],
    ["numbered members", rows(3)],
  ])("cannot contain more %s than can be loaded", async (name, input) => {
    using stored = conversations()
    await store(stored, `resp_${name}`, input)
    expect(await stored.has(account, `resp_${name}`)).toBe(false)
  })

  test("stays unloaded if its responses have more values than a request body may have", async () => {
    using stored = conversations()
    using memory = new MemoryBudget(512 * MEBIBYTE).open({ id: "key", account })
    const call = { key: { account } } as unknown as Call
    const ids = ["item_a", "item_b"]
    const output = ids.map((id) => ({ type: "message", id, content: Array(110_000).fill(1) }))
    for (const item of output) await store(stored, `resp_${item.id}`, [], [item])
    const references = ids.map((id) => ({ type: "item_reference", id }))
    const body = { model: "m", input: references }
    const writing = stored.writtenOut({ call, form: CONVERSATION, body }, memory)
    const rejected = await writing.catch((error: unknown) => error)
    expect(rejected).toMatchObject({ kind: "body_too_large" })
    expect(String(rejected)).toContain("200,000 values")
  })
})

test("a conversation history uses memory only while a request that loaded it runs", async () => {
  await using gateway = await startGateway({
    settings: {
      limits: {
        bodyBytes: 32 * MEBIBYTE,
        responseBytes: 64 * MEBIBYTE,
        mediaBytes: MEBIBYTE,
        mediaPrivate: false,
        memoryBytes: 128 * MEBIBYTE,
      },
    },
    models: { "sim/echo": { kind: "chat", price: { input: "0", output: "0" }, context: 9e6 } },
  })
  const ann = await gateway.caller()
  const input = "tea and cake ".repeat(400_000)
  const { id } = await asked(ann, { input, max_output_tokens: 16 })
  const all = Array.from({ length: 12 }, () => statusOf(ann, id))
  const statuses = await Promise.all(all)
  expect(statuses).toContain(503)
  expect(new Set(statuses)).not.toContain(500)
  expect(await statusOf(ann, id)).toBe(200)
})

describe("a conversation file that cannot be used", () => {
  test("causes one report, and is created again without losing a response", async () => {
    await using gateway = await startGateway()
    writeFileSync(pathOf(gateway), "no database at all ".repeat(1_000))
    const ann = await gateway.caller()
    await asked(ann, { input: "Hi" })
    await until(() => told(gateway) > 0)
    const { id } = await asked(ann, { input: "Hi" })
    expect(await statusOf(ann, id)).toBe(200)
    expect(told(gateway)).toBe(1)
  })

  test("does not delay a response or a second turn while it is locked", async () => {
    await using gateway = await startGateway()
    const ann = await gateway.caller()
    await asked(ann, { input: "Hi" })
    const locking = new Database(pathOf(gateway))
    // The first response may still be being written to the file.
    locking.run("PRAGMA busy_timeout = 10000")
    locking.run("BEGIN IMMEDIATE")
    const taken = await servedTime(async () => {
      const { id } = await asked(ann, { input: "My name is Ann" })
      expect(await statusOf(ann, id)).toBe(200)
    })
    expect(taken).toBeLessThan(1_900)
    expect(JSON.stringify(gateway.simulator.requests.at(-1)?.body)).toContain("My name is Ann")
    locking.run("COMMIT")
    locking.close()
  })
})

test("turning conversation storage off and on at runtime keeps the stored conversations", async () => {
  await using gateway = await startGateway()
  const ann = await gateway.caller()
  const { id } = await asked(ann, { input: "Hi" })
  const { settings } = gateway
  await gateway.app.apply({ ...settings, responses: { ...settings.responses, keep: 0 } })
  expect(await statusOf(ann, id)).toBe(400)
  expect((await ann.get(`${PATH}/${id}`)).status).toBe(404)
  const unkept = await asked(ann, { input: "Hi" })
  await gateway.app.apply(settings)
  expect(await statusOf(ann, id)).toBe(200)
  expect(await statusOf(ann, unkept.id)).toBe(404)
})

test("a shorter retention period applies to stored conversations", async () => {
  await using gateway = await startGateway()
  const ann = await gateway.caller()
  const { id } = await asked(ann, { input: "Hi" })
  const { settings } = gateway
  await gateway.app.apply({ ...settings, responses: { ...settings.responses, keep: 1 } })
  await until(async () => (await statusOf(ann, id)) === 404)
})

describe("the input items of a response", () => {
  test("can be listed page by page, newest first, with stable ids", async () => {
    await using gateway = await startGateway()
    const ann = await gateway.caller()
    const bob = await gateway.caller()
    const first = await ann.client.responses.create({ model: "sim/echo", input: "My name is Ann" })
    const second = await ann.client.responses.create({
      model: "sim/echo",
      previous_response_id: first.id,
      input: [{ role: "user", content: "Who am I?" }],
    })
    const list = (order: object) => ann.client.responses.inputItems.list(second.id, order)
    const items = []
    for await (const item of await list({ limit: 1, order: "asc" })) items.push(item)
    expect(items).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "My name is Ann" }] },
      { type: "message", role: "assistant", content: [{ text: first.output_text }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Who am I?" }] },
    ])
    const newest = await list({})
    expect(newest.data).toEqual(items.toReversed())
    expect(newest.has_more).toBe(false)
    expect((await list({ limit: 2 })).has_more).toBe(true)
    const path = `${PATH}/${second.id}/input_items`
    for (const query of ["limit=0", "limit=101", "order=up", "after=msg_other"]) {
      expect((await ann.get(`${path}?${query}`)).status).toBe(400)
    }
    expect((await bob.get(path)).status).toBe(404)
  })
})
