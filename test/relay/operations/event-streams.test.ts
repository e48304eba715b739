import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { wave } from "../../support/audio.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { longestPause } from "../../support/pauses.ts"
import { nothingHeld } from "../support.ts"

/** Streams of images, speech and transcripts with content that no model generates. */

const PRICE = { input: "1", output: "1", audio_input: "1", audio_output: "1", image_output: "1" }
/** Maximum milliseconds for which the provider, the gateway and the caller block the event loop together. */
const MAX_PAUSE_MS = 90
const encoder = new TextEncoder()

/** Yields the provider's next stream. */
let chunks: () => Iterable<string> = () => []
let gateway: TestGateway
let caller: TestCaller

const vendor = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: async (request) => {
    await request.arrayBuffer()
    const iterator = chunks()[Symbol.iterator]()
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { done, value } = iterator.next()
        if (done === true) return controller.close()
        controller.enqueue(encoder.encode(value))
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  },
})

beforeAll(async () => {
  gateway = await startGateway({
    providers: { openai: provider(`http://127.0.0.1:${vendor.port}/v1`, "openai") },
    models: {
      "openai/gpt-4o-transcribe": { kind: "transcription", price: PRICE },
      "openai/gpt-4o-mini-tts": { kind: "speech", price: PRICE },
      "openai/gpt-image-1": { kind: "image", price: PRICE },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

function transcribe(): Promise<Response> {
  const form = new FormData()
  form.set("model", "openai/gpt-4o-transcribe")
  form.set("stream", "true")
  form.set("file", new File([wave(1)], "speech.wav"))
  const headers = { authorization: `Bearer ${caller.key}` }
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form })
}

const speak = (): Promise<Response> =>
  caller.post("/v1/audio/speech", {
    model: "openai/gpt-4o-mini-tts",
    voice: "alloy",
    input: "Hello",
    response_format: "mp3",
  })

const draw = (): Promise<Response> =>
  caller.post("/v1/images/generations", {
    model: "openai/gpt-image-1",
    prompt: "A cat",
    stream: true,
  })

const ENDS = {
  transcript: "transcript.text.done",
  speech: "speech.audio.done",
  image: "x.completed",
}
const OPERATIONS = [
  ["transcript", transcribe, ENDS.transcript],
  ["speech", speak, ENDS.speech],
  ["image", draw, ENDS.image],
] as const

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }

describe.each(OPERATIONS)("the stream of a provider's %s", (_name, ask, _type) => {
  test("fails if an event has too many values", async () => {
    const values = Array.from({ length: 300_000 }, () => ({}))
    chunks = () => [event({ type: "other", values })]
    expect(await (await ask()).text()).toContain("chunk of the stream that holds more than")
    await nothingHeld(caller)
  })

  test("fails if it consists only of comments", async () => {
    const piece = ": nothing\n\n".repeat(20_000)
    chunks = () => Array.from({ length: 200 }, () => piece)
    expect((await (await ask()).text()).length).toBeLessThan(100_000)
    await nothingHeld(caller)
  })
})

const EVENTS = {
  transcript: "transcript.text.delta",
  speech: "speech.audio.delta",
  image: "image_generation.partial_image",
}
/** Values of 1 MB, which a long event repeats. */
const PIECES = {
  objects: ",{}".repeat(349_525),
  numbers: ",0".repeat(524_288),
  text: "A".repeat(1_048_576),
}

describe.each(OPERATIONS)("the stream of a provider's %s", (name, ask, type) => {
  test.each([
    ["objects", '"x":[0', "]"],
    ["numbers", '"x":[0', "]"],
    ["text", '"audio":"', '"'],
    ["text", '"b64_json":"', '"'],
  ] as const)(
    "takes several event-loop turns for an event with 40 MB of %s",
    async (kind, start, end) => {
      const delta = event({ type: EVENTS[name], delta: "Hi", audio: "aGk=", b64_json: "aGk=" })
      chunks = function* () {
        yield `${delta}${delta}data: {"type":"${EVENTS[name]}",${start}`
        for (let megabytes = 0; megabytes < 40; megabytes++) yield PIECES[kind]
        yield `${end}}\n\n${event({ type, text: "Hello", usage: USAGE, b64_json: "aGk=" })}`
      }
      const pause = await longestPause(MAX_PAUSE_MS, async () => {
        const response = await ask()
        if (response.body !== null) for await (const _ of response.body);
      })
      expect(pause).toBeLessThan(MAX_PAUSE_MS)
      await nothingHeld(caller)
    },
  )
})

test.each(OPERATIONS.slice(0, 2))(
  "the relay discards data that follows the last event of a provider's %s",
  async (_, ask, type) => {
    const audio = Buffer.from("sound").toString("base64")
    chunks = function* () {
      yield event({ type: "transcript.text.delta", delta: "Hello" })
      yield event({ type: "speech.audio.delta", audio })
      yield event({ type, text: "Hello", usage: USAGE })
      for (;;) yield "data: more\n\n".repeat(1_000)
    }
    const text = await (await ask()).text()
    expect(text).not.toContain("more")
    expect(text.length).toBeLessThan(1_000)
    await nothingHeld(caller)
  },
)
