import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import {
  CHECKSUM,
  COST,
  FILE,
  LANGUAGE,
  MODEL,
  SlowForm,
  SlowUploads,
  SOUND,
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

describe("long audio after its model field", () => {
  test("reaches the vendor while it is still arriving, and the caller pays once", async () => {
    const before = await uploads.caller.balance()
    const form = new SlowForm(MODEL, LANGUAGE, FILE)
    const response = uploads.send(form)
    form.upTo(0.5)
    await until(() => (uploads.heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    expect(uploads.heard[0]?.isOver).toBeFalse()
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} de`)
    expect(uploads.heard.length).toBe(1)
    const { status, attempts } = await uploads.receiptOf(await response)
    expect(status).toBe("settled")
    expect(attempts).toEqual([
      expect.objectContaining({ deployment: "one/whisper", outcome: "ok" }),
    ])
    await uploads.endsWith(before, COST)
  })

  test("goes to the vendor again if another form field follows", async () => {
    const before = await uploads.caller.balance()
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = await uploads.sendSlowly(form)
    expect(await textOf(response)).toBe(`${CHECKSUM} de`)
    expect(uploads.heard.length).toBe(2)
    await until(() => uploads.heard[0]?.isBroken === true)
    // The vendor never received the complete audio of the discarded call, so it could not bill it.
    expect(uploads.heard[0]?.bytes).toBeLessThan(SOUND.length)
    expect((await uploads.receiptOf(response)).status).toBe("settled")
    await uploads.endsWith(before, COST)
  })

  test("counts as one request toward its key's rate limit, even if it is sent again", async () => {
    const limited = await uploads.gateway.caller("10", { requestsPerMinute: 60 })
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = await uploads.sendSlowly(form, { key: limited.key })
    expect(response.status).toBe(200)
    const chat = { model: "sim/echo", messages: [{ role: "user", content: "x" }] }
    const after = await limited.post("/v1/chat/completions", chat)
    expect(after.headers.get("x-ratelimit-remaining-requests")).toBe("58")
    await after.body?.cancel()
  })

  test("cancels the vendor's call when its caller disconnects", async () => {
    const before = await uploads.caller.balance()
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form)
    form.upTo(0.5)
    await until(() => (uploads.heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.leaving.abort()
    await expect(response).rejects.toThrow()
    await until(() => uploads.heard[0]?.isBroken === true)
    await uploads.endsWith(before, "0")
    expect(uploads.gateway.heard).toEqual([])
  })

  test("goes to the vendor again after a timeout", async () => {
    const before = await uploads.caller.balance()
    let isAnswered = false
    uploads.response = (seen, number) => {
      if (number > 1) return whole(seen, number)
      isAnswered = true
      return new Response("too slow", { status: 408 })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = uploads.send(form)
    form.upTo(0.5)
    await until(() => isAnswered && uploads.heard[0]?.isBroken === true)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
    expect((await uploads.receiptOf(await response)).attempts.length).toBe(1)
    expect(uploads.gateway.heard).toEqual([])
    await uploads.endsWith(before, COST)
  })

  test("goes to the next deployment if the first fails after the complete upload", async () => {
    const before = await uploads.caller.balance()
    uploads.response = async (seen, number) => {
      if (number > 1) return whole(seen, number)
      await until(() => seen.isOver)
      return new Response("broken", { status: 500 })
    }
    const form = new SlowForm(["model", "one/twice"], FILE)
    const response = await uploads.sendSlowly(form)
    expect(await textOf(response)).toBe(`${CHECKSUM} null`)
    const { attempts } = await uploads.receiptOf(response)
    expect(attempts.map(({ deployment }) => deployment)).toEqual(["one/whisper", "two/whisper"])
    await uploads.endsWith(before, COST)
  })
})

describe("the response to a forwarded upload", () => {
  test("contains the vendor's error if the vendor rejects the complete upload", async () => {
    const before = await uploads.caller.balance()
    uploads.response = async (seen) => {
      await until(() => seen.isOver)
      return Response.json({ error: { message: "nothing but silence" } }, { status: 400 })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = await uploads.sendSlowly(form)
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain("nothing but silence")
    const { status, attempts } = await uploads.receiptOf(response)
    expect(status).toBe("released")
    expect(attempts.length).toBe(1)
    expect(uploads.heard.length).toBe(1)
    await uploads.endsWith(before, "0")
  })

  test("can begin before the vendor has read the whole upload", async () => {
    const before = await uploads.caller.balance()
    uploads.response = (seen) => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          const say = (event: object): void =>
            controller.enqueue(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
          await until(() => seen.bytes > SOUND.length * 0.9 || seen.isOver)
          say({ type: "transcript.text.delta", delta: "a" })
          await until(() => seen.isOver)
          say({ type: "transcript.text.done", text: seen.text })
          controller.close()
        },
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const form = new SlowForm(["model", "one/gpt-4o-transcribe"], ["stream", "true"], FILE)
    const response = await uploads.sendSlowly(form)
    expect(await response.text()).toContain(`${CHECKSUM} null`)
    expect((await uploads.receiptOf(response)).status).toBe("settled")
    await uploads.endsWith(before, COST)
  })
})
