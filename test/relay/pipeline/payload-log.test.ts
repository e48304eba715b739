import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { AUDIT } from "../../store/audit-record.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { keyFromRecord } from "../../../src/keys/key.ts"
import type { Call } from "../../../src/relay/request/call.ts"
import { type PayloadWriter, PayloadLog } from "../../../src/relay/pipeline/payload-log.ts"
import type { ContentRecord } from "../../../src/store/payload-log.ts"
import { TestDatabase } from "../../store/test-database.ts"
import { ReportedDatabase } from "../../store/reported-requests.ts"
import { ask, asked, startManaged } from "../../http/admin/support.ts"
import { simulated, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"

const DAY = 86_400_000

/** A payload writer that keeps all contents in memory. */
class RememberingKeeper implements PayloadWriter {
  readonly records: ContentRecord[] = []
  readonly swept: number[] = []

  async keep(record: ContentRecord): Promise<void> {
    this.records.push(record)
  }

  async sweep(before: number): Promise<void> {
    this.swept.push(before)
  }
}

async function callBy(storesContent: boolean): Promise<Call> {
  await using database = TestDatabase.direct()
  await database.account("a", 0n)
  await database.key("key", "a", null)
  if (storesContent) await database.store.accounts.update("a", { storesContent }, AUDIT)
  const record = await database.store.keys.find("key")
  return {
    id: "req_1",
    key: keyFromRecord(record!),
    endpoint: "/v1/chat/completions",
    bodyBytes: 2,
    receivedAt: 5,
    startedAt: 5,
    rejectOnLowBalance: false,
    isStrict: false,
    memory: new MemoryBudget(1 << 20).open({ id: "key", account: "a" }),
  }
}

describe("stored prompts and responses", () => {
  test("exist only for an account that has turned storage on", async () => {
    const keeper = new RememberingKeeper()
    const payloads = new PayloadLog(
      keeper,
      () => 30 * DAY,
      () => {},
    )
    payloads.keep(await callBy(false), { prompt: "private" }, "private")
    payloads.keep(await callBy(true), { prompt: "hello" }, { text: "there" })
    payloads.keep(await callBy(true), { prompt: "nothing comes" })
    await payloads[Symbol.asyncDispose]()
    const kept = { request: "req_1", account: "a", at: 5 }
    expect(keeper.records).toEqual([
      { ...kept, asked: '{"prompt":"hello"}', answered: '{"text":"there"}' },
      { ...kept, asked: '{"prompt":"nothing comes"}', answered: null },
    ])
  })

  test("contain shortened long texts, and no files", async () => {
    const keeper = new RememberingKeeper()
    const payloads = new PayloadLog(
      keeper,
      () => 30 * DAY,
      () => {},
    )
    const image = Buffer.alloc(30_000, 7).toString("base64")
    const long = "many words ".repeat(50_000)
    payloads.keep(await callBy(true), { url: `data:image/png;base64,${image}`, data: image })
    payloads.keep(await callBy(true), { long }, long)
    await payloads[Symbol.asyncDispose]()
    expect(keeper.records[0]?.asked).toBe(
      '{"url":"(a file of 40022 characters, not kept)","data":"(a file of 40000 characters, not kept)"}',
    )
    const cut = JSON.parse(keeper.records[1]?.answered ?? "")
    expect(cut).toMatchObject({ cut: true, characters: 550_002 })
    expect(cut.beginning).toHaveLength(256 * 1024)
  })

  test("disappear when the retention period ends", async () => {
    const keeper = new RememberingKeeper()
    await using _ = new PayloadLog(
      keeper,
      () => 30 * DAY,
      () => {},
    )
    expect(Math.abs((keeper.swept[0] ?? 0) - (Date.now() - 30 * DAY))).toBeLessThan(10_000)
    await using own = await ReportedDatabase.open()
    const record = { account: "a", asked: "{}", answered: null }
    await own.payloads.sweep(Date.now())
    expect(existsSync(join(own.database.directory.path, "contents.db"))).toBe(false)
    await own.payloads.keep({ ...record, request: "old", at: 5 })
    await own.payloads.keep({ ...record, request: "new", at: 6 })
    await own.payloads.sweep(6)
    expect(await own.payloads.find("old")).toBeNull()
    expect(await own.payloads.find("new")).toEqual({ ...record, request: "new", at: 6 })
  })

  test("do not affect the request if they cannot be stored, and the failure is reported", async () => {
    const failures: unknown[] = []
    const broken = async (): Promise<void> => {
      throw new Error("the disk is full")
    }
    const payloads = new PayloadLog(
      { keep: broken, sweep: broken },
      () => DAY,
      (error) => failures.push(error),
    )
    payloads.keep(await callBy(true), {})
    await payloads[Symbol.asyncDispose]()
    expect(failures).toHaveLength(2)
  })
})

const CHAT = { model: "sim/echo", messages: [{ role: "user", content: "the secret plan" }] }

/** Changes the setting, and waits until the gateway's process uses it. */
async function storeContent(gateway: TestGateway, caller: TestCaller, on: boolean): Promise<void> {
  await asked(gateway, "PATCH", `/accounts/${caller.account.id}`, { stores_content: on })
  const isKept = async () => (await contentOf(gateway, await send(caller, CHAT))) !== null
  await until(async () => (await isKept()) === on)
}

async function send(
  caller: TestCaller,
  body: object,
  path = "/v1/chat/completions",
): Promise<string> {
  const response = await caller.post(path, body)
  await response.text()
  return response.headers.get("x-request-id") ?? ""
}

/** Returns the content in the receipt after there was enough time to store it. */
async function contentOf(gateway: TestGateway, request: string): Promise<unknown> {
  for (let look = 0; look < 20; look++) {
    const receipt = await ask(gateway, "GET", `/receipts/${request}`)
    const { content = null } = (await receipt.json()) as { content?: unknown }
    if (content !== null) return content
    await Bun.sleep(5)
  }
  return null
}

/** Returns the content in the receipt as soon as it is stored. */
async function storedContent(gateway: TestGateway, request: string): Promise<unknown> {
  let content: unknown = null
  await until(async () => (content = await contentOf(gateway, request)) !== null)
  return content
}

test("the operator can turn storage on for responses, streams, failures and operations", async () => {
  const failing = simulated({ deployments: [{ provider: "sim", model: "fault-503", weight: 1 }] })
  const embedding = { kind: "embedding", price: { input: "1" } } as const
  const models = {
    "sim/failing": failing,
    "sim/embed": simulated(embedding),
    "sim/embed-failing": { ...failing, ...embedding },
  }
  await using gateway = await startManaged({ models })
  const caller = await gateway.caller("1")
  const other = await gateway.caller("1")
  await storeContent(gateway, caller, true)
  const others = await send(other, CHAT)
  expect(await storedContent(gateway, await send(caller, CHAT))).toMatchObject({
    request: CHAT,
    response: { choices: [{ message: { content: expect.stringContaining("secret plan") } }] },
  })
  const streamed = { ...CHAT, stream: true }
  expect(await storedContent(gateway, await send(caller, streamed))).toEqual({
    request: streamed,
    response: expect.stringContaining("secret plan"),
  })
  const failed = { ...CHAT, model: "sim/failing" }
  expect(await storedContent(gateway, await send(caller, failed))).toEqual({
    request: failed,
    response: null,
  })
  const texts = { model: "sim/embed", input: "the secret plan" }
  const embedded = await send(caller, texts, "/v1/embeddings")
  expect(await storedContent(gateway, embedded)).toEqual({ request: texts, response: null })
  const failedTexts = { ...texts, model: "sim/embed-failing" }
  const notEmbedded = await send(caller, failedTexts, "/v1/embeddings")
  expect(await storedContent(gateway, notEmbedded)).toEqual({
    request: failedTexts,
    response: null,
  })
  // This request is stored later than the request of the other account. If that request had been stored, it would be
  // visible by now.
  expect(await asked(gateway, "GET", `/receipts/${others}`)).toMatchObject({ content: null })
  await storeContent(gateway, caller, false)
})
