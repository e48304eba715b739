import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Receipt } from "tollgate-contract/receipts.ts"
import type { ModelSettings } from "../../../src/config/settings.ts"
import {
  SHORT_TIMEOUTS,
  provider,
  simulated,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { asked, startManaged } from "../../http/admin/support.ts"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, receiptOf, readUntil } from "../support.ts"

const FAILS = `data: {"error":{"message":"overloaded","type":"server_error"}}\n\n`

/** The vendor's responses by the name of the model. Usage is reported before any content. */
const RESPONSES: Readonly<Record<string, () => Response>> = {
  "counts-and-fails": () => streamed([usageFrame(10, 0), FAILS]),
  "fails-uncounted": () => streamed([FAILS]),
  "breaks-off": () => streamed([usageFrame(10, 0), frame("Hello"), FAILS]),
  "says-hello": () => streamed([frame("Hello"), frame("", "stop"), usageFrame(10, 1), DONE]),
  "never-ends": () => streamed([usageFrame(10, 0), frame("Hello"), 60_000]),
  exaggerates: () =>
    Response.json({ ...wholeResponse(), usage: { prompt_tokens: 900_000, completion_tokens: 1 } }),
}

function tried(...names: string[]): ModelSettings {
  return simulated({
    multiplier: "2",
    deployments: names.map((model, place) => ({
      provider: "vendor",
      model,
      weight: place === 0 ? 1 : 0,
    })),
  })
}

const vendor = startVendor((_request, number) => {
  const name = String(vendor.bodies[number - 1]?.["model"])
  return RESPONSES[name]?.() ?? new Response("{}", { status: 404 })
})
let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged({
    providers: { vendor: provider(vendor.url) },
    settings: { timeouts: SHORT_TIMEOUTS },
    models: {
      "lost/then-answered": tried("counts-and-fails", "says-hello"),
      "lost/twice": tried("counts-and-fails", "counts-and-fails-too"),
      "lost/uncounted": tried("fails-uncounted", "says-hello"),
      "lost/broken": tried("breaks-off"),
      "lost/left": tried("never-ends"),
      "lost/exaggerated": tried("exaggerates"),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const ask = (caller: TestCaller, model: string, stream = true) =>
  caller.post(CHAT, { model, messages: HELLO, stream, max_tokens: 50 })

/** Returns the receipt that operators see, and the reports for the only request of an account. */
async function foundOf(caller: TestCaller, response: Response) {
  const own = await receiptOf(caller, response)
  await nothingHeld(caller)
  expect(JSON.stringify(own)).not.toContain("provider_cost")
  const receipt = (await asked(gateway, "GET", `/receipts/${own.id}`)) as unknown as Receipt
  const query = new URLSearchParams({
    account: caller.account.id,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const { total } = (await asked(gateway, "GET", `/usage?${query}`)) as {
    total: { cost: string; provider_cost: string; written_off: string }
  }
  return { lost: receipt.attempts.map((attempt) => attempt.provider_cost), receipt, total }
}

test("the operator, and not the caller, pays for a failed attempt with counted tokens", async () => {
  const caller = await gateway.caller("1")
  const response = await ask(caller, "lost/then-answered")
  expect(await response.text()).toContain("Hello")
  const { lost, total } = await foundOf(caller, response)
  expect(lost).toEqual(["0.00001", undefined])
  // The charge is 12 for the response, times two. The provider cost is 12 for the response and 10 for the earlier
  // attempt.
  expect(total).toMatchObject({ cost: "0.000024", provider_cost: "0.000022" })
})

test("the operator also pays for a request that gets no response", async () => {
  const caller = await gateway.caller("1")
  const response = await ask(caller, "lost/twice")
  expect(response.status).toBeGreaterThan(400)
  const { lost, total, receipt } = await foundOf(caller, response)
  expect(receipt.status).toBe("released")
  expect(lost).toEqual(["0.00001", undefined])
  expect(total).toMatchObject({ cost: "0", provider_cost: "0.00001" })
})

test("an attempt without known usage is recorded without a cost", async () => {
  const caller = await gateway.caller("1")
  const response = await ask(caller, "lost/uncounted")
  await response.text()
  const { lost, total } = await foundOf(caller, response)
  expect(lost).toEqual([undefined, undefined])
  expect(total).toMatchObject({ cost: "0.000024", provider_cost: "0.000012" })
})

test("the charged part of a broken response is not also recorded as a loss", async () => {
  const caller = await gateway.caller("1")
  const response = await ask(caller, "lost/broken")
  await response.text()
  const { lost, total, receipt } = await foundOf(caller, response)
  expect(receipt.status).toBe("settled")
  expect(lost).toEqual([undefined])
  expect(nanocredits(total.cost)).toBe(2n * nanocredits(total.provider_cost))
})

test("the charge for an abandoned request is not also recorded as a loss", async () => {
  const caller = await gateway.caller("1")
  const response = await ask(caller, "lost/left")
  const reader = response.body?.getReader()
  if (reader) await readUntil(reader, (text) => text.includes("Hello"))
  await reader?.cancel()
  const { lost, total, receipt } = await foundOf(caller, response)
  expect(receipt.status).toBe("settled")
  expect(lost).toEqual([undefined])
  expect(nanocredits(total.cost)).toBe(2n * nanocredits(total.provider_cost))
})

test("usage above the possible maximum is written off, and its provider cost is recorded", async () => {
  const caller = await gateway.caller("5")
  const response = await ask(caller, "lost/exaggerated", false)
  await response.text()
  const { total, receipt } = await foundOf(caller, response)
  expect(receipt.usage_beyond_bound).toBe(true)
  expect(receipt.provider_cost).toBe("0.900002")
  expect(total.provider_cost).toBe("0.900002")
  expect(nanocredits(total.cost) + nanocredits(total.written_off)).toBe(1_800_004_000n)
})
