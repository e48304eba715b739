import { expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, receiptOf, receiptsOf } from "../support.ts"
import { until } from "../../support/until.ts"

/** Starts a vendor that answers when the test allows it. */
function startGate() {
  const open = Promise.withResolvers<void>()
  const vendor = startVendor(async () => {
    await open.promise
    return Response.json(wholeResponse())
  })
  return { vendor, open: () => open.resolve() }
}

async function chargeOf(caller: TestCaller, response: Response): Promise<bigint> {
  expect(response.status).toBe(200)
  await response.text()
  return nanocredits((await receiptOf(caller, response)).cost)
}

async function applyMultiplier(gateway: TestGateway, multiplier: string): Promise<void> {
  const { settings } = gateway
  await gateway.app.apply({ ...settings, multiplier })
}

test("a running request keeps its price, and the next request gets the new price", async () => {
  const { vendor, open } = startGate()
  using _ = vendor
  await using gateway = await startGateway({
    providers: { gate: provider(vendor.url) },
    models: { "gate/slow": simulated() },
  })
  const caller = await gateway.caller("1")
  const ask = () => caller.post(CHAT, { model: "gate/slow", messages: HELLO })
  const running = ask()
  await until(() => vendor.bodies.length === 1)
  await applyMultiplier(gateway, "3")
  open()
  // The request has ten input tokens and one output token.
  expect(await chargeOf(caller, await running)).toBe(12_000n)
  const next = await ask()
  expect(await chargeOf(caller, next)).toBe(36_000n)
  expect((await receiptOf(caller, next)).price?.multiplier).toBe("3")
})

test("a running request keeps its deployments even if the settings remove them", async () => {
  const { vendor, open } = startGate()
  using _ = vendor
  open()
  const left = Promise.withResolvers<void>()
  using failing = startVendor(async () => {
    await left.promise
    return Response.json({ error: { message: "broken" } }, { status: 500 })
  })
  await using gateway = await startGateway({
    providers: { failing: provider(failing.url), spare: provider(vendor.url) },
    models: {
      "sim/moved": simulated({
        deployments: [
          { provider: "failing", model: "x", weight: 1 },
          { provider: "spare", model: "x", weight: 0 },
        ],
      }),
    },
  })
  const caller = await gateway.caller("1")
  const running = caller.post(CHAT, { model: "sim/moved", messages: HELLO })
  await until(() => failing.bodies.length === 1)
  const { settings } = gateway
  const { failing: _1, spare: _2, ...providers } = settings.providers
  await gateway.app.apply({ ...settings, providers })
  left.resolve()
  expect(await chargeOf(caller, await running)).toBe(12_000n)
  const gone = await caller.post(CHAT, { model: "sim/moved", messages: HELLO })
  expect(gone.status).toBe(404)
})

test("changed models, limits and providers take effect immediately", async () => {
  await using gateway = await startGateway()
  const caller = await gateway.caller("1")
  const { settings } = gateway
  const ids = async () => {
    const list = (await (await caller.get("/v1/models")).json()) as { data: { id: string }[] }
    return list.data.map(({ id }) => id)
  }
  expect(await ids()).toEqual(["sim/echo"])
  await gateway.app.apply({
    ...settings,
    limits: { ...settings.limits, bodyBytes: 200 },
    models: { "sim/new": simulated(), "sim/odd": simulated({ deployments: [MISSING] }) },
  })
  expect(await ids()).toEqual(["sim/new"])
  expect(gateway.heard).toContainEqual({
    name: "warning",
    facts: ["model sim/odd: provider 'nobody' is not set up. Add it under 'providers'."],
  })
  const messages = [{ role: "user", content: "x".repeat(300) }]
  const large = await caller.post(CHAT, { model: "sim/new", messages })
  expect(large.status).toBe(413)
  expect(receiptsOf(gateway, caller)).toEqual([])
  await nothingHeld(caller)
})

const MISSING = { provider: "nobody", model: "x", weight: 1 }
