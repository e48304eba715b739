import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { type ScriptedVendor, startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, HELLO, nothingHeld, receiptOf } from "../support.ts"

/** How the vendor reacts to the next requests. */
let way: "broken" | "rejecting" | "silent" | "well"
let vendor: ScriptedVendor
let gateway: TestGateway

const REJECTION = { error: { message: "no such parameter", type: "invalid_request_error" } }

beforeAll(() => {
  vendor = startVendor(() => {
    if (way === "broken") return new Response("broken", { status: 500 })
    if (way === "rejecting") return Response.json(REJECTION, { status: 400 })
    return way === "silent" ? new Promise<Response>(() => {}) : Response.json(wholeResponse())
  })
})
afterAll(() => vendor[Symbol.dispose]())

beforeEach(async () => {
  way = "broken"
  gateway = await startGateway({
    providers: { own: provider(vendor.url) },
    models: {
      "sim/spare": simulated({
        deployments: [
          { provider: "own", model: "echo", weight: 1 },
          { provider: "sim", model: "echo", weight: 0 },
        ],
      }),
    },
    settings: { disconnect: "cancel" },
  })
})

/** Sends requests until one of them is sent to a deployment that is still cooling down. */
async function untilTried(send: () => Promise<unknown>): Promise<void> {
  const before = vendor.bodies.length
  await until(async () => {
    await send()
    return vendor.bodies.length > before
  })
}

describe("requests that probe a deployment that is cooling down", () => {
  test("cause another probe if the vendor rejects the request itself", async () => {
    await using _ = gateway
    const caller = await gateway.caller("1")
    const send = () => caller.post(CHAT, { model: "sim/spare", messages: HELLO })
    for (let count = 0; count < 3; count++) expect((await send()).status).toBe(200)
    way = "rejecting"
    let rejected = await send()
    await untilTried(async () => (rejected = await send()))
    expect(rejected.status).toBe(400)
    way = "well"
    const { attempts } = await receiptOf(caller, await send())
    expect(attempts).toMatchObject([{ deployment: "own/echo", outcome: "ok" }])
  })

  test("cause another probe if their caller disconnects", async () => {
    await using _ = gateway
    const caller = await gateway.caller("1")
    const body = { model: "sim/spare", messages: [{ role: "user" as const, content: "Hello" }] }
    for (let count = 0; count < 3; count++) await caller.post(CHAT, body)
    way = "silent"
    await untilTried(async () => {
      const before = vendor.bodies.length
      const leaving = new AbortController()
      let isAnswered = false
      const response = caller.client.chat.completions
        .create(body, { signal: leaving.signal })
        .then(() => (isAnswered = true))
        .catch(() => undefined)
      await until(() => isAnswered || vendor.bodies.length > before)
      leaving.abort()
      await response
    })
    await nothingHeld(caller)
    way = "well"
    const { attempts } = await receiptOf(caller, await caller.post(CHAT, body))
    expect(attempts).toMatchObject([{ deployment: "own/echo", outcome: "ok" }])
  })
})
