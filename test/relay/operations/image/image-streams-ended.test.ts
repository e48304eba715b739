import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { png, pngFile } from "../../../support/png.ts"
import { expectRejection, sendForm } from "./image-support.ts"
import { until } from "../../../support/until.ts"
import {
  caller,
  gateway,
  generate,
  MAX_OF_IMAGE,
  nothingHeld,
  receiptOf,
  type Seen,
  setUp,
  tearDown,
} from "./image-streams-world.ts"

beforeAll(setUp)
afterAll(tearDown)

describe("an image stream that breaks", () => {
  for (const [model, outcome] of [
    ["openai/fault-cut", "upstream_error"],
    ["openai/fault-malformed", "upstream_error"],
    ["openai/fault-stream-error", "upstream_error"],
    ["openai/fault-no-finish", "upstream_error"],
  ] as const) {
    test(`ends with an error event, and its delivered drafts are charged: ${model}`, async () => {
      const response = await generate({ model, partial_images: 3 })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).not.toContain("image_generation.completed")
      expect(text).toContain('data: {"error":{"message":')
      await nothingHeld()
      const { status, estimated, usage, attempts } = await receiptOf(response.headers)
      expect([status, estimated]).toEqual(["settled", true])
      expect(attempts.at(-1)?.outcome).toBe(outcome)
      const drafts = model.endsWith("no-finish") ? 3 : 2
      expect(text.split("event: image_generation.partial_image")).toHaveLength(drafts + 1)
      const shown = (MAX_OF_IMAGE * drafts) / 4
      expect(usage).toEqual({ input: 2, image_output: shown + 100 * drafts })
    })
  }

  test("costs nothing if no event was delivered, and the caller can retry", async () => {
    const before = await caller.balance()
    for (const model of ["openai/fault-cut", "openai/fault-no-finish"]) {
      const response = await generate({ model })
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "true"])
      expect((await receiptOf(response.headers)).status).toBe("released")
    }
    expect(await caller.balance()).toBe(before)
  })

  test("causes an attempt at the next deployment if no event was delivered", async () => {
    const response = await generate({ model: "openai/two" })
    expect(await response.text()).toContain("image_generation.completed")
    const { attempts } = await receiptOf(response.headers)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["upstream_error", "ok"])
  })

  test("costs nothing if it is priced per image and no image was delivered", async () => {
    const before = await caller.balance()
    const response = await generate({ model: "openai/priced-cut", partial_images: 3 })
    expect(await response.text()).toContain('data: {"error":{"message":')
    await nothingHeld()
    expect((await receiptOf(response.headers)).status).toBe("released")
    expect(await caller.balance()).toBe(before)
  })
})

describe("a caller that disconnects from an image stream", () => {
  test("pays only for the input before the first event, and the upstream call is cancelled", async () => {
    const before = await caller.balance()
    const leaving = new AbortController()
    const asked = gateway.simulator.requests.length
    const response = fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "openai/fault-slow-first-byte",
        prompt: "an owl",
        stream: true,
      }),
      signal: leaving.signal,
    })
    response.catch(() => {})
    await until(() => gateway.simulator.requests.length > asked)
    leaving.abort()
    await gateway.simulator.requests.at(-1)?.settled()
    expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
    await nothingHeld()
    await nothingHeld()
    expect(before - (await caller.balance())).toBeGreaterThan(0n)
  })

  async function leave(model: string): Promise<Seen> {
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "an owl", stream: true, partial_images: 1 }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await gateway.simulator.requests.at(-1)?.settled()
    expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
    await nothingHeld()
    return await receiptOf(response.headers)
  }

  test("pays for a delivered draft, and the upstream call is cancelled", async () => {
    const { status, estimated, usage, attempts } = await leave("openai/fault-stall")
    expect([status, estimated]).toEqual(["settled", true])
    expect(usage).toEqual({ input: 2, image_output: MAX_OF_IMAGE / 2 + 100 })
    expect(attempts).toMatchObject([{ outcome: "caller_disconnected" }])
  })

  test("pays for the whole image after a draft if the model has a price per image", async () => {
    const { status, usage, cost } = await leave("openai/priced-stall")
    expect([status, usage, cost]).toEqual(["settled", { image: 1 }, "0.04"])
  })
})

describe("validation of image streams", () => {
  const model = "openai/gpt-image-1"
  for (const [name, body, code, param] of [
    ["four drafts", { partial_images: 4 }, "above_max_value", "partial_images"],
    ["a negative number of drafts", { partial_images: -1 }, "below_min_value", "partial_images"],
    ["a fraction of a draft", { partial_images: 0.5 }, "invalid_type", "partial_images"],
    ["a stream option as text", { stream: "yes" }, "invalid_type", "stream"],
    ["links", { response_format: "url" }, "invalid_parameter_combination", "response_format"],
  ] as const) {
    test(`rejects ${name}`, async () => {
      await expectRejection(gateway, caller, () => generate({ model, ...body }), {
        status: 400,
        code,
        param,
      })
    })
  }

  test("rejects a streamed variation", async () => {
    const parts = [
      ["model", model],
      ["image", pngFile(png(64, 64))],
      ["stream", "true"],
    ] as const
    await expectRejection(gateway, caller, () => sendForm(gateway, caller, "variations", parts), {
      status: 400,
      code: "invalid_value",
      param: "stream",
    })
  })
})
