import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../../scripted-vendor.ts"
import { onlyReceipt } from "../../support.ts"

/** Voices of ElevenLabs' library can cost several credits per character. */

const INPUT = "a".repeat(100)

let gateway: TestGateway
let vendor: ScriptedVendor
let reported: string | undefined

beforeAll(async () => {
  vendor = startVendor(() => {
    const cost = reported === undefined ? {} : { "character-cost": reported }
    return new Response(new Uint8Array(1_000), {
      headers: { "content-type": "audio/mpeg", ...cost },
    })
  })
  const bare = vendor.url.replace(/\/v1$/, "")
  gateway = await startGateway({
    providers: { elevenlabs: provider(bare, "elevenlabs") },
    models: {
      "elevenlabs/eleven_multilingual_v2": { kind: "speech", price: { character: "80" } },
      "elevenlabs/eleven_flash_v2_5": { kind: "speech", price: { character: "40" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

test.each([
  ["eleven_multilingual_v2", undefined, 100],
  ["eleven_multilingual_v2", "100", 100],
  ["eleven_multilingual_v2", "300", 300],
  ["eleven_flash_v2_5", "50", 100],
  ["eleven_flash_v2_5", "150", 300],
  // A discount of the provider's plan does not lower the price of a character.
  ["eleven_multilingual_v2", "55", 100],
  ["eleven_multilingual_v2", "no number", 100],
  // The rate of a voice is limited.
  ["eleven_multilingual_v2", "1e30", 1_000],
])(
  "speech of %s with a reported cost of %s credits is charged as %d characters",
  async (model, cost, characters) => {
    reported = cost
    const caller = await gateway.caller("1")
    const response = await caller.post("/v1/audio/speech", {
      model: `elevenlabs/${model}`,
      voice: "some-library-voice",
      input: INPUT,
    })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    const { usage } = await onlyReceipt(gateway, caller)
    expect(usage?.["character"]).toBe(characters)
  },
)
