import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { wave } from "../../support/audio.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { MovableClock } from "../movable-clock.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, onlyReceipt, receiptsOf } from "../support.ts"

/** The tests use requests that need several calls of a provider. The caller disconnects before all calls are made. */

let vendor: ScriptedVendor
let transcriber: Bun.Server<undefined>
let clock: MovableClock
let gateway: TestGateway
/** The statuses of the first calls. Later calls succeed. */
let statuses: readonly number[]
/** Number of calls since the test began. */
let calls: number
/** Resolving it lets the provider response the calls that succeed. */
let goOn: PromiseWithResolvers<void>

function bodyFor(request: Record<string, unknown>): object {
  if (Array.isArray(request.texts)) {
    const embeddings = { float: request.texts.map(() => [0.1]) }
    return { embeddings, meta: { billed_units: { input_tokens: 1000 } } }
  }
  if (request.prompt !== undefined) {
    const data = Array.from({ length: Number(request.n) }, () => ({ b64_json: "aGk=" }))
    return { created: 1, data }
  }
  return {
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [{ type: "text", text: "Hello there" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 100 },
  }
}

async function respond(request: Record<string, unknown>): Promise<Response> {
  const status = statuses[calls++] ?? 200
  const error = { type: "api_error", message: "No." }
  if (status === 503) return Response.json({ type: "error", error }, { status })
  await goOn.promise
  if (status !== 200) return Response.json({ type: "error", message: "No.", error }, { status })
  return Response.json(bodyFor(request))
}

beforeAll(async () => {
  vendor = startVendor((_, number) => respond(vendor.bodies[number - 1] ?? {}))
  // The text is translated in six calls, of which four are made at the same time.
  const text = "One sentence. ".repeat(1_500)
  transcriber = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ text, language: "fr", usage: { prompt_audio_seconds: 3 } }),
  })
  clock = new MovableClock()
  const root = vendor.url.replace(/\/v1$/, "")
  gateway = await startGateway({
    monitor: clock.monitor,
    settings: {
      translationModel: "anthropic/claude",
      routing: { strategy: "order", affinity: true, hedge: false, retries: 1 },
    },
    providers: {
      mistral: { ...provider(`http://127.0.0.1:${transcriber.port}/v1`, "mistral"), apiKey: "key" },
      anthropic: { ...provider(root, "anthropic"), apiKey: "key" },
      cohere: { ...provider(root, "cohere"), apiKey: "key" },
      together: { ...provider(vendor.url, "together"), apiKey: "key" },
    },
    models: {
      "anthropic/claude": simulated({ price: { input: "10", output: "100" } }),
      "cohere/embed": { kind: "embedding", price: { input: "100" } },
      "mistral/voxtral": { kind: "transcription", price: { second: "1" } },
      "together/flux": { kind: "image", price: { image: "100000" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  clock[Symbol.dispose]()
  vendor[Symbol.dispose]()
  await transcriber.stop(true)
})

beforeEach(() => {
  statuses = []
  calls = 0
  goOn = Promise.withResolvers()
})

/** Sends a request and disconnects when the provider has received its first calls. Returns the caller. */
async function leaveAfter(firstCalls: number, path: string, body: object): Promise<TestCaller> {
  const caller = await gateway.caller("100")
  const controller = new AbortController()
  const isForm = body instanceof FormData
  const response = fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${caller.key}`,
      ...(!isForm && { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
    signal: controller.signal,
  })
  response.catch(() => {})
  await until(() => calls === firstCalls)
  controller.abort()
  await clock.looks(3)
  goOn.resolve()
  return caller
}

async function abandoned(path: string, body: object, firstCalls: number) {
  return onlyReceipt(gateway, await leaveAfter(firstCalls, path, body))
}

const EMBEDDINGS = {
  model: "cohere/embed",
  input: Array.from({ length: 480 }, (_, index) => `text ${index}`),
}
const IMAGES = { model: "together/flux", prompt: "An owl", n: 10, response_format: "b64_json" }
const CHOICES = { model: "anthropic/claude", messages: HELLO, n: 3, max_tokens: 500 }

describe("a caller that disconnects", () => {
  test("pays for the answered calls of embeddings if the other calls are not made", async () => {
    const receipt = await abandoned("/v1/embeddings", EMBEDDINGS, 4)
    expect(receipt).toMatchObject({ status: "settled", cost: "0.4", usage: { input: 4000 } })
    expect(calls).toBe(4)
  })

  test("pays for the images of the answered calls if a failed call is not repeated", async () => {
    statuses = [200, 500, 200]
    const receipt = await abandoned("/v1/images/generations", IMAGES, 3)
    expect(receipt).toMatchObject({ status: "settled", usage: { image: 6 } })
    expect(calls).toBe(3)
  })

  test.each([
    [200, 500, 200],
    [503, 200, 200],
  ])(
    "pays for the answered choices of a chat if a failed call is not repeated: %d, %d, %d",
    async (first, second, third) => {
      statuses = [first, second, third]
      const receipt = await abandoned(CHAT, CHOICES, 3)
      expect(receipt).toMatchObject({
        status: "settled",
        cost: "0.0202",
        usage: { input: 20, output: 200 },
      })
      expect(calls).toBe(3)
    },
  )

  test("pays for a transcript and the answered calls of its translation", async () => {
    const form = new FormData()
    form.append("model", "mistral/voxtral")
    form.append("file", new File([wave(1_200, 1_000)], "speech.wav"))
    const caller = await leaveAfter(4, "/v1/audio/translations", form)
    await until(() => receiptsOf(gateway, caller).length === 2)
    expect(receiptsOf(gateway, caller)).toMatchObject([
      { status: "settled", model: "mistral/voxtral" },
      { status: "settled", estimated: false, usage: { input: 40, output: 400 } },
    ])
    expect(calls).toBe(4)
  })

  test("pays for the input of a stream if one of its calls failed before the others started", async () => {
    statuses = [503, 200, 200]
    const receipt = await abandoned(CHAT, { ...CHOICES, stream: true }, 3)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(Object.keys(receipt.usage ?? {})).toEqual(["input"])
    expect(calls).toBe(3)
  })
})
