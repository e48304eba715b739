import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../../scripted-vendor.ts"
import { receiptOf } from "../../support.ts"

/** Ten minutes of audio at 24 kHz, in JSON. */
const PCM = Buffer.alloc(48_000 * 600).toString("base64")
const TOKENS = 15_000

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor(({ url }) =>
    url.includes(":generateContent")
      ? Response.json({
          candidates: [
            {
              content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: PCM } }] },
            },
          ],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: TOKENS },
        })
      : Response.json({ audio_data: PCM }),
  )
  gateway = await startGateway({
    providers: {
      google: provider(vendor.url.replace("/v1", ""), "google"),
      mistral: provider(vendor.url, "mistral"),
    },
    models: {
      "google/tts": { kind: "speech", price: { input: "1", output: "10" }, maxOutput: 16_384 },
      "mistral/tts": { kind: "speech", price: { character: "10" } },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

test.each([
  ["google/tts", { audio_output: TOKENS }],
  ["mistral/tts", { character: 5 }],
])(
  "ten minutes of speech from %s in a single JSON response are passed on",
  async (model, usage) => {
    const calls = vendor.bodies.length
    const body = { model, input: "Hello", voice: "Kore", response_format: "wav" }
    const response = await caller.post("/v1/audio/speech", body)
    expect(response.status).toBe(200)
    expect((await response.bytes()).length).toBeGreaterThan(48_000 * 600 - 100)
    expect((await receiptOf(caller, response)).usage).toMatchObject(usage)
    expect(vendor.bodies.length).toBe(calls + 1)
  },
)
