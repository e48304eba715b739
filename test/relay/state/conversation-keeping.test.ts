import { describe, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { GatewayError } from "../../../src/canon/errors.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { Conversations } from "../../../src/relay/state/conversations.ts"
import type { ConversationKeeper } from "../../../src/relay/state/conversation-texts.ts"
import type { FindOptions } from "../../../src/store/conversations.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { asked, PATH, statusOf } from "./conversation-turns.ts"
import { until } from "../../support/until.ts"

const MEBIBYTE = 1 << 20

function pathOf(gateway: TestGateway): string {
  return join(gateway.settings.data, "conversations.db")
}

function told(gateway: TestGateway): number {
  return gateway.heard.filter(({ name }) => name === "conversationNotStored").length
}

test("what there is no memory for is not even read", async () => {
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
  const refused = await conversations.find("ann", "resp_1", memory).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(GatewayError)
  expect(refused).toMatchObject({ kind: "overloaded" })
  expect(orders.map(({ max }) => max < MEBIBYTE)).toEqual([true])
})

test("a history takes memory for as long as its request runs, and gives it back", async () => {
  await using gateway = await startGateway({
    settings: {
      limits: {
        bodyBytes: 32 * MEBIBYTE,
        answerBytes: 64 * MEBIBYTE,
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

describe("a file that cannot be used", () => {
  test("is reported once, costs no answer, and is begun again", async () => {
    await using gateway = await startGateway()
    writeFileSync(pathOf(gateway), "no database at all ".repeat(1_000))
    const ann = await gateway.caller()
    await asked(ann, { input: "Hi" })
    await until(() => told(gateway) > 0)
    const { id } = await asked(ann, { input: "Hi" })
    expect(await statusOf(ann, id)).toBe(200)
    expect(told(gateway)).toBe(1)
  })

  test("locked by someone, holds up no answer and no second turn", async () => {
    await using gateway = await startGateway()
    const ann = await gateway.caller()
    await asked(ann, { input: "Hi" })
    const locking = new Database(pathOf(gateway))
    // The first answer may still be on its way to the file.
    locking.run("PRAGMA busy_timeout = 10000")
    locking.run("BEGIN IMMEDIATE")
    const began = performance.now()
    const { id } = await asked(ann, { input: "My name is Ann" })
    expect(await statusOf(ann, id)).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_900)
    expect(JSON.stringify(gateway.simulator.requests.at(-1)?.body)).toContain("My name is Ann")
    locking.run("COMMIT")
    locking.close()
  })
})

test("turned off while it runs, nothing is found, and all of it is there again when it is turned on", async () => {
  await using gateway = await startGateway()
  const ann = await gateway.caller()
  const { id } = await asked(ann, { input: "Hi" })
  const { settings } = gateway
  gateway.app.apply({ ...settings, responses: { ...settings.responses, keep: 0 } })
  expect(await statusOf(ann, id)).toBe(400)
  expect((await ann.get(`${PATH}/${id}`)).status).toBe(404)
  const unkept = await asked(ann, { input: "Hi" })
  gateway.app.apply(settings)
  expect(await statusOf(ann, id)).toBe(200)
  expect(await statusOf(ann, unkept.id)).toBe(404)
})

test("a time made shorter holds for what is kept already", async () => {
  await using gateway = await startGateway()
  const ann = await gateway.caller()
  const { id } = await asked(ann, { input: "Hi" })
  const { settings } = gateway
  gateway.app.apply({ ...settings, responses: { ...settings.responses, keep: 1 } })
  await until(async () => (await statusOf(ann, id)) === 404)
})

describe("the items that a response was asked with", () => {
  test("are listed page by page, the newest first, under ids that stay", async () => {
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
