import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ask, startManaged } from "../http/admin/support.ts"
import { simulated, type TestGateway } from "../support/gateway.ts"
import { longestPause } from "../support/pauses.ts"

const MAX_PAUSE_MS = 100
const MODELS = 2_000

let gateway: TestGateway
/** A number that no other change of these tests has. */
let change = 0

beforeAll(async () => {
  const models = Array.from({ length: MODELS }, (_, index) => [`sim/m${index}`, simulated()])
  gateway = await startManaged({ models: Object.fromEntries(models) })
})

afterAll(() => gateway[Symbol.asyncDispose]())

describe("a change in the console with 2,000 models in the settings file", () => {
  test("adds a model without delaying callers", async () => {
    const entry = { kind: "chat", price: { input: "1", output: "2" } }
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const model = `sim/x${++change}`
      const response = await ask(gateway, "PUT", `/models/${model}`, entry)
      expect(response.status).toBe(200)
      expect(gateway.app.catalog.find(model)?.id).toBe(model)
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  test("changes a setting without delaying callers", async () => {
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const response = await ask(gateway, "PATCH", "/settings", {
        "timeouts.total": `${++change}m`,
      })
      expect(response.status).toBe(200)
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  test("keeps each of several simultaneous changes", async () => {
    const entry = { kind: "chat", price: { input: "1", output: "2" } }
    const changes = [
      ask(gateway, "PUT", "/models/sim/first", entry),
      ask(gateway, "PUT", "/models/sim/second", entry),
    ]
    await gateway.app.apply({ ...gateway.settings, multiplier: "2" })
    for (const response of await Promise.all(changes)) expect(response.status).toBe(200)
    for (const model of ["sim/first", "sim/second", "sim/m7"]) {
      const price = gateway.app.catalog.find(model)?.deployments[0]?.price
      expect(price?.multiplier).toBe(2_000_000n)
    }
  })
})
