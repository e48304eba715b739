import { afterAll, beforeAll, expect, test } from "bun:test"
import { wave } from "../../../support/audio.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { errorOf, nothingHeld, receiptOf } from "../../support.ts"

const CHUNK = new Uint8Array(1024 * 1024).fill(0x20)
const PRICE = { input: "1", audio_input: "3", output: "2", audio_output: "12" } as const

/** A vendor whose stream is a single event that never ends. */
const vendor = Bun.serve({
  port: 0,
  fetch: () =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          controller.enqueue(CHUNK)
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    ),
})

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway({
    providers: { own: provider(`http://127.0.0.1:${vendor.port}/v1`, "openai") },
    models: {
      "own/gpt-4o-transcribe": { kind: "transcription", price: PRICE },
      "own/gpt-4o-mini-tts": { kind: "speech", price: PRICE },
    },
  })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

test("a text stream with an endless event counts as a vendor failure", async () => {
  const form = new FormData()
  form.set("model", "own/gpt-4o-transcribe")
  form.set("stream", "true")
  form.set("file", new File([wave(1)], "speech.wav"))
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
  const text = (await response.text()).trim()
  expect(text).toContain('"code":"upstream_error"')
  expect(text).toContain("an event that is too long")
  await nothingHeld(caller)
  expect((await receiptOf(caller, response)).attempts[0]?.outcome).toBe("upstream_error")
})

test("audio with an endless event counts as a vendor failure", async () => {
  const response = await caller.post("/v1/audio/speech", {
    model: "own/gpt-4o-mini-tts",
    voice: "alloy",
    input: "Hello",
  })
  const { status, code, message } = await errorOf(response)
  expect([status, code]).toEqual([502, "upstream_error"])
  expect(message).toContain("an event that is too long")
  await nothingHeld(caller)
})
