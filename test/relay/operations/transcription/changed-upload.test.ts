import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import {
  CHECKSUM,
  COST,
  FILE,
  LANGUAGE,
  MODEL,
  SlowForm,
  SlowUploads,
  textOf,
  whole,
} from "./slow-uploads.ts"
import { until } from "../../../support/until.ts"

let uploads: SlowUploads

beforeAll(async () => {
  uploads = await SlowUploads.start()
})

afterEach(() => uploads.reset())

afterAll(() => uploads[Symbol.asyncDispose]())

describe("an upload that is forwarded before it is complete", () => {
  test("keeps its request id, and is recorded in the ledger once", async () => {
    const sender = await uploads.gateway.caller("10")
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = await uploads.sendSlowly(form, { key: sender.key })
    expect(await textOf(response)).toBe(`${CHECKSUM} de`)
    expect((await uploads.receiptOf(response, sender)).status).toBe("settled")
    expect(uploads.requestsOf(sender)).toEqual([response.headers.get("x-request-id") ?? ""])
  })

  test("requires credits for a single request only", async () => {
    // Until the next field has arrived, the audio seems to be one second longer than it is.
    const exact = await uploads.gateway.caller("0.0121")
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = await uploads.sendSlowly(form, { key: exact.key })
    expect(response.status).toBe(200)
    expect(await exact.balance()).toBe(100_000n)
  })

  test("holds the cost of its final content", async () => {
    const prompt = "a prompt behind the sound"
    const form = new SlowForm(["model", "one/tokens"], FILE, ["prompt", prompt])
    const response = await uploads.sendSlowly(form)
    const whole = new SlowForm(["model", "one/tokens"], ["prompt", prompt], FILE)
    const other = uploads.send(whole, { isLengthTold: false })
    whole.upTo(1)
    const { hold } = await uploads.receiptOf(response)
    expect(Number(hold)).toBeGreaterThan(0)
    expect(hold).toBe((await uploads.receiptOf(await other)).hold)
  })

  test("fails if the credits are insufficient, and leaves no hold", async () => {
    // The hold covers the frame of 256 tokens, and no byte of a prompt.
    const poor = await uploads.gateway.caller("0.256")
    const form = new SlowForm(["model", "one/tokens"], FILE, ["prompt", "x"])
    const response = await uploads.sendSlowly(form, { key: poor.key })
    expect(response.status).toBe(402)
    expect(await response.json()).toMatchObject({ error: { required: "0.257" } })
    await until(() => uploads.heard[0]?.isBroken === true)
    expect(uploads.heard.length).toBe(1)
    await uploads.nothingHeld(poor)
    expect(uploads.requestsOf(poor)).toEqual([response.headers.get("x-request-id") ?? ""])
    expect((await uploads.receiptOf(response, poor)).status).toBe("released")
  })

  test("fails if a second model field follows the audio", async () => {
    const before = await uploads.caller.balance()
    const form = new SlowForm(MODEL, FILE, MODEL)
    const response = await uploads.sendSlowly(form)
    expect(response.status).toBe(400)
    expect((await uploads.receiptOf(response)).status).toBe("released")
    await until(() => uploads.heard[0]?.isBroken === true)
    await uploads.endsWith(before, "0")
  })

  test("goes to the vendor again if the vendor answers before the upload is complete", async () => {
    const before = await uploads.caller.balance()
    let responses = 0
    uploads.response = (seen, number) => {
      if (++responses > 1) return whole(seen, number)
      return Response.json({ text: "of half a sound" })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form)
    form.upTo(0.5)
    await until(() => uploads.heard[0]?.isBroken === true)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
    expect(uploads.heard.length).toBe(2)
    await uploads.endsWith(before, COST)
  })
})

describe("uploads that are forwarded only when complete", () => {
  const cases: Readonly<Record<string, [SlowForm, boolean]>> = {
    "the audio precedes the model": [new SlowForm(FILE, MODEL), true],
    "the body length is unknown": [new SlowForm(MODEL, FILE), false],
  }
  for (const [name, [form, isLengthTold]] of Object.entries(cases)) {
    test(`reach the vendor if ${name}`, async () => {
      const before = await uploads.caller.balance()
      const response = uploads.send(form, { isLengthTold })
      form.upTo(0.9)
      // Once the gateway has answered later requests, it has begun to store this upload.
      for (let turn = 0; turn < 20; turn++) await (await uploads.caller.get("/v1/models")).text()
      expect(uploads.heard.length).toBe(0)
      form.upTo(1)
      expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
      await uploads.endsWith(before, COST)
    })
  }

  test("fail if there are no credits", async () => {
    const poor = await uploads.gateway.caller("0.001")
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form, { key: poor.key })
    form.upTo(1)
    expect((await response).status).toBe(402)
    expect(uploads.heard.length).toBe(0)
  })

  test("count toward the rate limit once if they fail because there are no credits", async () => {
    const poor = await uploads.gateway.caller("0.001", { requestsPerMinute: 60 })
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form, { key: poor.key })
    form.upTo(1)
    expect((await response).status).toBe(402)
    const chat = { model: "sim/echo", messages: [{ role: "user", content: "x" }], max_tokens: 1 }
    const after = await poor.post("/v1/chat/completions", chat)
    expect(after.headers.get("x-ratelimit-remaining-requests")).toBe("58")
    await after.body?.cancel()
  })

  test("include audio for a vendor that requires JSON bodies", async () => {
    const before = uploads.gateway.simulator.requests.length
    const form = new SlowForm(["model", "google/listen"], FILE)
    const response = uploads.send(form)
    form.upTo(0.5)
    for (let turn = 0; turn < 20; turn++) await (await uploads.caller.get("/v1/models")).text()
    form.upTo(1)
    expect((await response).status).toBe(200)
    expect(uploads.gateway.simulator.requests.length).toBe(before + 1)
  })

  test("include requests with an invalid header", async () => {
    const before = await uploads.caller.balance()
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form, { headers: { "x-tollgate-strict": "perhaps" } })
    form.upTo(0.5)
    expect((await response).status).toBe(400)
    form.leaving.abort()
    await until(() => readdirSync(join(uploads.gateway.settings.data, "uploads")).length === 0)
    expect(uploads.heard.length).toBe(0)
    await uploads.endsWith(before, "0")
  })

  test("include invalid requests", async () => {
    const before = await uploads.caller.balance()
    for (const wrong of [
      ["temperature", "7"],
      ["model", "one/nothing"],
    ] as const) {
      const form = new SlowForm(...(wrong[0] === "model" ? [] : [MODEL]), wrong, FILE)
      const response = uploads.send(form)
      form.upTo(1)
      expect([400, 404]).toContain((await response).status)
    }
    expect(uploads.heard.length).toBe(0)
    await uploads.endsWith(before, "0")
  })
})
