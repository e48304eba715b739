import { afterAll, beforeAll, expect, test } from "bun:test"
import type { BillingGaps } from "tollgate-contract/billing-gaps.ts"
import { ADMIN_TOKEN, asked } from "../../http/admin/support.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
  UNREACHED_TIMEOUTS,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { MovableClock } from "../movable-clock.ts"
import {
  frame,
  type ScriptedVendor,
  startVendor,
  streamed,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, HELLO, keptReceiptOf, nanocredits, nothingHeld, receiptOf } from "../support.ts"

/** A vendor with failing attempts. Providers bill such attempts, and the operator pays for them. */

let vendor: ScriptedVendor
let gateway: TestGateway
let clock: MovableClock
const silence = Promise.withResolvers<Response>()

beforeAll(async () => {
  vendor = startVendor((_, number) => {
    const { model, stream } = vendor.bodies[number - 1] ?? {}
    if (model === "late") return silence.promise
    if (model === "stalls") return streamed([": here\n\n", 60_000])
    if (model === "rejects") return Response.json({ error: { message: "Busy." } }, { status: 503 })
    return stream === true
      ? streamed([frame("Hello") + frame("", "stop") + "data: [DONE]\n\n"])
      : Response.json(wholeResponse())
  })
  const behind = (model: string) =>
    simulated({
      strategy: "order",
      deployments: [
        { provider: "vendor", model, weight: 1 },
        { provider: "vendor", model: "good", weight: 1 },
      ],
    })
  clock = new MovableClock()
  gateway = await startGateway({
    monitor: clock.monitor,
    settings: {
      adminToken: ADMIN_TOKEN,
      timeouts: UNREACHED_TIMEOUTS,
      routing: { strategy: "order", affinity: false, hedge: false, retries: 0 },
    },
    providers: { vendor: provider(vendor.url) },
    models: {
      "vendor/late": behind("late"),
      "vendor/stalls": behind("stalls"),
      "vendor/rejects": behind("rejects"),
      "vendor/alone": simulated({
        deployments: [{ provider: "vendor", model: "late", weight: 1 }],
      }),
    },
  })
})

afterAll(async () => {
  silence.resolve(new Response())
  await gateway[Symbol.asyncDispose]()
  clock[Symbol.dispose]()
  vendor[Symbol.dispose]()
})

/** Sends a request. If the first deployment is silent, the clock passes its deadline. */
async function send(caller: TestCaller, order: Record<string, unknown>): Promise<Response> {
  const sent = vendor.bodies.length
  const response = caller.post(CHAT, order)
  await until(() => vendor.bodies.length > sent)
  const isSilent = ["late", "stalls"].includes(String(vendor.bodies[sent]?.["model"]))
  if (isSilent) await clock.pass(UNREACHED_TIMEOUTS.firstByte + 1_000)
  return response
}

test.each([
  ["vendor/late", false, true],
  ["vendor/late", true, true],
  ["vendor/stalls", true, true],
  ["vendor/rejects", false, false],
] as const)(
  "the input of an attempt that timed out is recorded: %s, stream %p",
  async (model, stream, isBilled) => {
    const caller = await gateway.caller("1")
    const response = await send(caller, { model, messages: HELLO, stream })
    await response.text()
    await nothingHeld(caller)
    const { id } = await receiptOf(caller, response)
    const [failed, good] = keptReceiptOf(gateway, id)?.attempts ?? []
    expect(failed?.outcome).not.toBe("ok")
    expect(good).toMatchObject({ outcome: "ok" })
    expect(good).not.toHaveProperty("provider_cost")
    if (!isBilled) return expect(failed).not.toHaveProperty("provider_cost")
    expect(Number(failed?.provider_cost)).toBeGreaterThan(0)
  },
)

test("an uncharged cost appears among the billing gaps and in the provider cost", async () => {
  const caller = await gateway.caller("1")
  const { id } = caller.account
  // The stream of the second deployment reports no usage.
  const order = { model: "vendor/late", messages: HELLO, stream: true }
  const response = await send(caller, order)
  await response.text()
  await send(caller, { model: "vendor/alone", messages: HELLO })
  await nothingHeld(caller)
  const to = new Date(Date.now() + 60_000).toISOString()
  const span = `account=${id}&from=2026-01-01T00:00:00Z&to=${to}`
  const gaps = (await asked(gateway, "GET", `/billing-gaps?${span}`)) as unknown as BillingGaps
  expect(gaps).toMatchObject({
    receipts: 2,
    counted_to: null,
    estimated: { requests: 1, rows: [{ name: "vendor/good", requests: 1 }] },
    unpriced: { requests: 0, rows: [] },
    written_off: { requests: 0, rows: [] },
    uncharged: { requests: 2, rows: [{ name: "upstream_timeout", requests: 2 }] },
  })
  const { cost } = await receiptOf(caller, response)
  expect(gaps.estimated.amount).toBe(cost)
  const usage = await asked(gateway, "GET", `/usage?${span}&group=model`)
  const { total } = usage as unknown as { total: { cost: string; provider_cost: string } }
  const provider = nanocredits(gaps.uncharged.amount) + nanocredits(total.cost)
  expect(nanocredits(total.provider_cost)).toBe(provider)
})

test("the provider's cost of an uncharged request is recorded", async () => {
  const caller = await gateway.caller("1")
  const response = await send(caller, { model: "vendor/alone", messages: HELLO })
  const { id, status } = await receiptOf(caller, response)
  expect(status).toBe("released")
  const [attempt] = keptReceiptOf(gateway, id)?.attempts ?? []
  expect(attempt).toMatchObject({ outcome: "upstream_timeout" })
  expect(Number(attempt?.provider_cost)).toBeGreaterThan(0)
  expect(await caller.balance()).toBe(1_000_000_000n)
})
