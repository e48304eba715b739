import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { until } from "../../../support/until.ts"
import {
  caller,
  form,
  gateway,
  nothingHeld,
  receiptOf,
  setUp,
  SOUND,
  speak,
  tearDown,
  untouched,
  upload,
} from "./audio-world.ts"

beforeAll(setUp)
afterAll(tearDown)

describe("an audio response that breaks off", () => {
  const input = "word ".repeat(400)

  test("ends with an error, and the delivered speech is charged", async () => {
    const before = await caller.balance()
    const cut = await speak({ model: "sim/fault-cut", input, response_format: "pcm" })
    expect(cut.status).toBe(200)
    await expect(cut.bytes()).rejects.toThrow()
    await nothingHeld()
    const { usage, status } = await receiptOf(cut)
    expect(status).toBe("settled")
    expect(usage.character).toBeGreaterThan(0)
    expect(usage.character).toBeLessThan(2_000)
    expect(await caller.balance()).toBeLessThan(before)
  })

  test("ends with an error event if the speech is sent as events", async () => {
    const response = await speak({ model: "sim/fault-cut", input, stream_format: "sse" })
    const text = await response.text()
    expect(text).toContain('data: {"error":{"message":')
    expect(text).not.toContain("speech.audio.done")
    await nothingHeld()
  })

  test("results in a charge for the generated speech if its caller disconnects", async () => {
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/fault-stall",
        voice: "alloy",
        input,
        response_format: "pcm",
      }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => gateway.simulator.open === 0)
    await nothingHeld()
    const { usage, status } = await receiptOf(response)
    expect(status).toBe("settled")
    expect(usage.character).toBe(2_000)
  })

  test("costs nothing if the vendor fails before the first byte", async () => {
    for (const model of ["sim/fault-500", "sim/fault-empty"]) {
      const response = await untouched(() => speak({ model, input: "x" }), true)
      expect(response.status).toBe(502)
    }
  })

  test("ends with an error event if it is a stream of text", async () => {
    const response = await upload(form({ model: "openai/gpt-4o-cut", stream: "true" }, SOUND))
    const text = await response.text()
    expect(text).toContain("transcript.text.delta")
    expect(text).toContain('data: {"error":{"message":')
    expect(text).not.toContain("transcript.text.done")
    await nothingHeld()
    expect((await receiptOf(response)).status).toBe("settled")
  })
})
