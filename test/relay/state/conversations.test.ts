import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { asked, PATH, statusOf } from "./conversation-turns.ts"
import { until } from "../../support/until.ts"

const LONG = "tea and cake ".repeat(1_000)

/** Returns the bytes of the file once it contains data. */
async function kept(gateway: TestGateway): Promise<Buffer> {
  const path = join(gateway.settings.data, "conversations.db")
  await until(() => existsSync(`${path}-wal`))
  using reading = new Database(path, { readonly: true })
  const tables = reading.query("SELECT 1 FROM sqlite_schema WHERE name = 'parts'")
  await until(() => tables.get() !== null)
  await until(() => reading.query("SELECT 1 FROM parts LIMIT 1").get() !== null)
  return Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)])
}

/** Two accounts, one of which stores more than its limit. */
async function expectOldestGone(gateway: TestGateway): Promise<void> {
  const [ann, bob] = [await gateway.caller(), await gateway.caller()]
  const others = await asked(bob, { input: LONG })
  const responses: string[] = []
  for (let turn = 0; turn < 6; turn++) responses.push((await asked(ann, { input: LONG })).id)
  expect(await statusOf(ann, responses[0] ?? "")).toBe(404)
  expect(await statusOf(ann, responses[5] ?? "")).toBe(200)
  expect(await statusOf(bob, others.id)).toBe(200)
}

test("a stored response cannot be cancelled, because the gateway runs no responses in the background", async () => {
  await using gateway = await startGateway()
  const [ann, bob] = [await gateway.caller(), await gateway.caller()]
  const { id } = await asked(ann, { input: "Hi" })
  const cancel = async (caller: typeof ann, name: string): Promise<unknown[]> => {
    const response = await caller.post(`${PATH}/${name}/cancel`, {})
    const { error } = (await response.json()) as { error: { type: string; message: string } }
    return [response.status, error.type, error.message.includes("background")]
  }
  expect(await cancel(ann, id)).toEqual([400, "invalid_request_error", true])
  expect(await cancel(bob, id)).toEqual([404, "invalid_request_error", false])
  expect(await cancel(ann, "resp_unknown")).toEqual([404, "invalid_request_error", false])
  expect(await statusOf(ann, id)).toBe(200)
})

describe("a stored conversation", () => {
  test("leaves no readable text or ids on the disk", async () => {
    await using gateway = await startGateway()
    const ann = await gateway.caller()
    const { id, output } = await asked(ann, { input: "My secret is tea" })
    const bytes = await kept(gateway)
    for (const text of ["My secret", id, output[0]?.id ?? ""]) {
      expect(bytes.includes(text)).toBe(false)
    }
    expect(await statusOf(ann, id)).toBe(200)
  })

  test("counts completely toward the hold and the charge", async () => {
    await using gateway = await startGateway()
    const rich = await gateway.caller()
    const { id } = await asked(rich, { input: LONG, max_output_tokens: 20 })
    const order = { model: "sim/echo", input: "Hi", previous_response_id: id }
    const estimate = await rich.post("/v1/estimate", { path: PATH, body: order })
    const short = await rich.post("/v1/estimate", {
      path: PATH,
      body: { model: "sim/echo", input: "Hi" },
    })
    const [whole, alone] = [(await estimate.json()) as Estimated, (await short.json()) as Estimated]
    expect(estimate.status).toBe(200)
    expect(inputOf(whole)).toBeGreaterThan(inputOf(alone) + 2_000)
    const before = await rich.balance()
    await asked(rich, { ...order, max_output_tokens: 20 })
    expect(before - (await rich.balance())).toBeGreaterThan(2_000_000n)
  })

  test("causes no call if the credits do not cover its tokens", async () => {
    await using gateway = await startGateway()
    const poor = await gateway.caller("0.0095")
    const { id } = await asked(poor, { input: LONG, max_output_tokens: 20 })
    const calls = gateway.simulator.requests.length
    const order = { model: "sim/echo", input: LONG, previous_response_id: id }
    const rejected = await poor.post(PATH, { ...order, max_output_tokens: 20 })
    expect(rejected.status).toBe(402)
    expect(gateway.simulator.requests).toHaveLength(calls)
  })

  test("costs its price for each reference, and too many references are rejected", async () => {
    await using gateway = await startGateway()
    const ann = await gateway.caller()
    const { output } = await asked(ann, { input: LONG.repeat(2), max_output_tokens: 1_000 })
    const calls = gateway.simulator.requests.length
    const reference = { type: "item_reference", id: output[0]?.id }
    const order = { model: "sim/echo", input: Array.from({ length: 5_001 }, () => reference) }
    const rejected = await ann.post(PATH, order)
    expect(rejected.status).toBe(400)
    const twenty = Array.from({ length: 20 }, () => reference)
    const whole = await ann.post("/v1/estimate", {
      path: PATH,
      body: { model: "sim/echo", input: twenty },
    })
    const once = await ann.post("/v1/estimate", {
      path: PATH,
      body: { model: "sim/echo", input: [reference] },
    })
    const told = (await whole.json()) as Estimated
    expect(inputOf(told)).toBeGreaterThan(15 * inputOf((await once.json()) as Estimated))
    expect(gateway.simulator.requests).toHaveLength(calls)
  })

  test.each(["sim/echo", "sim/responses"])(
    "does not exist for other accounts, at %s",
    async (model) => {
      const models = { "sim/responses": simulated({ dialects: ["openai-responses"] }) }
      await using gateway = await startGateway({ models })
      const [ann, bob] = [await gateway.caller(), await gateway.caller()]
      const own = await asked(ann, { input: "Mine" })
      const foreign = await asked(bob, { input: "Not yours" })
      const reference = (id: string | undefined) => ({ type: "item_reference", id })
      const input = [reference(own.output[0]?.id), reference(foreign.output[0]?.id)]
      for (const [body, path] of [
        [{ input }, "input[1].id"],
        [{ input, previous_response_id: own.id }, "input[1].id"],
        [{ input: input.slice(0, 1), previous_response_id: foreign.id }, "previous_response_id"],
      ] as const) {
        const calls = gateway.simulator.requests.length
        const rejected = await ann.post(PATH, { model, ...body })
        const { error } = (await rejected.json()) as { error: { code: string; param: string } }
        expect([rejected.status, error.code, error.param]).toEqual([404, "not_found", path])
        expect(gateway.simulator.requests).toHaveLength(calls)
      }
    },
  )

  test("does not exist if storage is turned off", async () => {
    await using gateway = await startGateway({
      settings: { responses: { keep: 0, accountBytes: 1 << 20, totalBytes: 1 << 20 } },
    })
    const ann = await gateway.caller()
    const { id } = await asked(ann, { input: "Hi" })
    expect(await statusOf(ann, id)).toBe(400)
    expect(existsSync(join(gateway.settings.data, "conversations.db"))).toBe(false)
  })
})

describe("eviction of the oldest conversations", () => {
  test("affects only an account that exceeds its limit", async () => {
    await using gateway = await startGateway({
      settings: { responses: { keep: 60_000, accountBytes: 60_000, totalBytes: 1 << 30 } },
    })
    await expectOldestGone(gateway)
  })

  test("begins with the largest account if the total limit is exceeded", async () => {
    await using gateway = await startGateway({
      settings: { responses: { keep: 60_000, accountBytes: 1 << 30, totalBytes: 150_000 } },
    })
    await expectOldestGone(gateway)
  })
})

test("with 'vendor_state: any', stored conversations are inserted and unknown ids are passed on", async () => {
  await using gateway = await startGateway({
    settings: { vendorState: "any" },
    models: { "sim/gpt": simulated({ dialects: ["openai-responses"] }) },
  })
  const ann = await gateway.caller()
  const { id } = await asked(ann, { input: "My name is Ann" })
  await asked(ann, { model: "sim/gpt", input: "Who am I?", previous_response_id: id })
  const sent = JSON.stringify(gateway.simulator.requests.at(-1)?.body)
  expect(sent).toContain("My name is Ann")
  const calls = gateway.simulator.requests.length
  const order = { model: "sim/gpt", input: "Hi", previous_response_id: "resp_strange" }
  await (await ann.post(PATH, order)).text()
  expect(gateway.simulator.requests.length).toBeGreaterThan(calls)
})

interface Estimated {
  readonly parts: readonly {
    readonly lines: readonly { readonly name: string; readonly quantity: number }[]
  }[]
}

/** Returns the input tokens of an estimate. */
function inputOf({ parts: [part] }: Estimated): number {
  return part?.lines.find(({ name }) => name.includes("input"))?.quantity ?? Number.NaN
}
