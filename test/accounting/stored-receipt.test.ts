import { describe, expect, test } from "bun:test"
import { restoreReceipt } from "../../src/accounting/stored-receipt.ts"

const PRICE = { per_million: { input: "0.1", output: "0.4" }, multiplier: "1.2" }
const COMPLETE = {
  status: "settled",
  first_byte_ms: 12,
  duration_ms: 30,
  model: "openai/gpt-5",
  stream: true,
  deployment: "openai/gpt-5#second",
  estimated: true,
  price: PRICE,
  arithmetic: [{ class: "input", quantity: 3, per_million: "0.2" }],
  attempts: [{ deployment: "openai/gpt-5", status: 500, outcome: "upstream_error", duration: 4 }],
  losses: [{ name: "seed", effect: "dropped" }],
}

describe("restoreReceipt", () => {
  test("restores every member that was omitted because it had its default value", () => {
    const stored: Record<string, unknown> = {
      status: "settled",
      duration_ms: 30,
      model: "openai/gpt-5",
      price: PRICE,
      arithmetic: [
        { class: "input", quantity: 3 },
        { class: "output", quantity: 2, per_million: "0.9" },
      ],
      attempt_ms: 29,
    }
    expect(restoreReceipt(structuredClone(stored))).toEqual({
      status: "settled",
      first_byte_ms: null,
      duration_ms: 30,
      model: "openai/gpt-5",
      stream: false,
      deployment: "openai/gpt-5",
      estimated: false,
      price: PRICE,
      arithmetic: [
        { class: "input", quantity: 3, per_million: "0.1" },
        { class: "output", quantity: 2, per_million: "0.9" },
      ],
      attempts: [{ deployment: "openai/gpt-5", status: 200, outcome: "ok", duration: 29 }],
      losses: [],
    })
  })

  test("does not change a complete receipt", () => {
    expect(restoreReceipt(structuredClone(COMPLETE))).toEqual(COMPLETE)
  })

  test("keeps a missing deployment and a missing price as null", () => {
    const released = { ...COMPLETE, deployment: null, price: null, arithmetic: null }
    expect(restoreReceipt(structuredClone(released))).toEqual(released)
  })
})
