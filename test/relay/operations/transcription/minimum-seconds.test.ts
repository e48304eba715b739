import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { verifyLedgers } from "../../../../src/ledger/verify/ledgers.ts"
import type { ModelSettings } from "../../../../src/config/settings.ts"
import { describeReceipt, type ShownReceipt } from "../../../../src/cli/receipt.ts"
import { styleOf } from "../../../../src/cli/output.ts"
import { wave } from "../../../support/audio.ts"
import { provider, type TestCaller, type TestGateway } from "../../../support/gateway.ts"
import { ask, asked, startManaged } from "../../../http/admin/support.ts"
import { nothingHeld } from "../../support.ts"

/** A price with a minimum duration of audio for each request. */

const PRICE = { second: "100", minimum_seconds: "10" } as const
const MODEL: ModelSettings = { kind: "transcription", price: PRICE }
const PATHS = ["transcriptions", "translations"] as const

let gateway: TestGateway
let caller: TestCaller
let member: TestCaller

beforeAll(async () => {
  gateway = await startManaged({
    providersAt: (url) => ({ groq: provider(`${url}/v1`, "groq") }),
    models: {
      "groq/whisper-large-v3": MODEL,
      "groq/whisper-streamed": MODEL,
      "groq/whisper-long": { kind: "transcription", price: { ...PRICE, minimum_seconds: "30" } },
    },
  })
  caller = await gateway.caller("1")
  member = await gateway.caller("1")
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Receipt extends ShownReceipt {
  readonly usage: Readonly<Record<string, number>>
}

async function transcribe(
  seconds: number,
  { by = caller, path = "transcriptions", model = "groq/whisper-large-v3" } = {},
): Promise<Receipt> {
  const form = new FormData()
  form.append("model", model)
  form.append("file", new File([wave(seconds)], "speech.wav"))
  const headers = { authorization: `Bearer ${by.key}` }
  const url = `${gateway.url}/v1/audio/${path}`
  const response = await fetch(url, { method: "POST", headers, body: form })
  expect(response.status).toBe(200)
  await response.text()
  const id = response.headers.get("x-request-id") ?? ""
  return (await (await by.get(`/v1/receipts/${id}`)).json()) as Receipt
}

describe("a request with less audio than the minimum charge", () => {
  for (const path of PATHS) {
    test(`has a hold and a charge of the minimum at ${path}`, async () => {
      const receipt = await transcribe(3, { path })
      expect(receipt).toMatchObject({
        usage: { second: 3 },
        price: { per_million: { second: "100" }, minimum_seconds: 10 },
        arithmetic: [{ class: "second", quantity: 10, is_minimum: true, per_million: "100" }],
        charged: "0.001",
        hold: "0.001",
      })
      expect(describeReceipt(receipt, styleOf(false))).toContain("10 (minimum)")
    })
  }

  test("fails if the balance does not cover the minimum", async () => {
    const poor = await gateway.caller("0.0009")
    const form = new FormData()
    form.append("model", "groq/whisper-large-v3")
    form.append("file", new File([wave(3)], "speech.wav"))
    const headers = { authorization: `Bearer ${poor.key}` }
    const url = `${gateway.url}/v1/audio/transcriptions`
    expect((await fetch(url, { method: "POST", headers, body: form })).status).toBe(402)
  })

  test("has an estimate of the minimum", async () => {
    const file = { format: "wav", bytes: 96_044, seconds: 3 }
    const body = { model: "groq/whisper-large-v3", file }
    const asked = { path: "/v1/audio/transcriptions", body }
    const estimate = (await (await caller.post("/v1/estimate", asked)).json()) as object
    expect(estimate).toMatchObject({
      least: "0.001",
      most: "0.001",
      parts: [{ lines: [{ name: "second", quantity: 10, why: "the minimum of the price" }] }],
    })
  })
})

test("audio above the minimum is charged by its duration", async () => {
  const receipt = await transcribe(11)
  const [line] = receipt.arithmetic ?? []
  expect(line).toEqual({ class: "second", quantity: 11, per_million: "100" })
  expect(receipt.charged).toBe("0.0011")
})

test("each model has its own minimum of seconds", async () => {
  expect((await transcribe(3, { model: "groq/whisper-long" })).charged).toBe("0.003")
})

test("a price group's multiplier applies to the minimum, and a rate card has its own minimum", async () => {
  const prices = { "groq/whisper-long": { second: "50" }, "groq/whisper-streamed": PRICE }
  const terms = [{ from: 0, multiplier: "0.5", prices }]
  await gateway.app.apply({ ...gateway.settings, priceGroups: { half: { terms } } })
  await asked(gateway, "PATCH", `/accounts/${member.account.id}`, { price_group: "half" })
  const charged = async (model: string) => (await transcribe(3, { by: member, model })).charged
  expect(await charged("groq/whisper-large-v3")).toBe("0.0005")
  expect(await charged("groq/whisper-long")).toBe("0.00015")
  expect(await charged("groq/whisper-streamed")).toBe("0.001")
  await gateway.app.apply(gateway.settings)
})

test("model lists contain the minimum of seconds", async () => {
  const listed = await (await caller.get("/v1/models/groq/whisper-large-v3")).json()
  expect(listed).toMatchObject({ pricing: { second: "100", minimum_seconds: 10 } })
  expect(await asked(gateway, "GET", "/models?search=groq/whisper-large-v3")).toMatchObject({
    data: [{ price: { second: "100" }, minimum_seconds: 10 }],
  })
})

test("an operator can set the minimum of seconds within limits", async () => {
  const path = "/models/groq/whisper-set"
  const put = (minimum_seconds: unknown) =>
    ask(gateway, "PUT", path, { kind: "transcription", price: { second: "1", minimum_seconds } })
  for (const minimum of ["0", "-1", "1.5", "3601", "ten", 4_000]) {
    expect((await put(minimum)).status).toBe(400)
  }
  expect((await put("15")).status).toBeLessThan(300)
  expect((await transcribe(3, { model: "groq/whisper-set" })).charged).toBe("0.000015")
})

test("the ledger passes verification after charges of the minimum", async () => {
  await nothingHeld(caller)
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
})
