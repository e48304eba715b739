import { describe, expect, test } from "bun:test"
import type { ImageRequest } from "../../../src/canon/image.ts"
import type { SpeechRequest } from "../../../src/canon/speech.ts"
import type { TranscriptionRequest } from "../../../src/canon/transcription.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import type { Deployment } from "../../../src/catalog/model.ts"
import type { Price } from "../../../src/ledger/price.ts"
import { imagesUsage } from "../../../src/relay/operations/image/image-usage.ts"
import { speechUsage } from "../../../src/relay/operations/speech/speech-usage.ts"
import { transcriptionUsage } from "../../../src/relay/operations/transcription/transcription-usage.ts"

function priceOf(rates: Partial<Price["rates"]>): Price {
  return { rates, multiplier: 1n } as unknown as Price
}

describe("a usage of nothing for an answer that is here is none:", () => {
  const tokens = priceOf({ inputFresh: 1n, output: 2n, audioOutput: 3n })

  test("of a transcript by the second", () => {
    const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
    const price = priceOf({ seconds: 1n })
    const told = { text: "hello", usage: { seconds: 0 }, duration: 0 }
    const counted = transcriptionUsage(told, request, price)
    expect(counted).toMatchObject({ usage: { seconds: 3 }, estimated: true })
    const heard = transcriptionUsage({ ...told, usage: { seconds: 2 } }, request, price)
    expect(heard).toMatchObject({ usage: { seconds: 2 }, estimated: false })
  })

  test("of a transcript by the token", () => {
    const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
    const usage = { tokens: { text: 0, audio: 0, output: 0 } }
    const counted = transcriptionUsage({ text: "hello", usage }, request, tokens)
    expect(counted).toMatchObject({ usage: { audioInput: 30, output: 2 }, estimated: true })
  })

  test("of speech", () => {
    const request = { input: "hello", speed: 1 } as unknown as SpeechRequest
    const amount = { request, form: "pcm", bytes: 48_000, announced: undefined } as const
    const spoken = speechUsage({ ...amount, ending: "whole", reported: NO_USAGE }, tokens)
    expect(spoken.estimated).toBe(true)
    expect(spoken.usage.audioOutput).toBeGreaterThan(0)
  })

  test("of images", () => {
    const request = {
      prompt: "a cat",
      count: 1,
      images: [],
      fields: {},
      extra: {},
      options: {},
    } as unknown as ImageRequest
    const deployment = { upstreamModel: "gpt-image-1", price: tokens } as unknown as Deployment
    const made = imagesUsage({ images: 1, usage: NO_USAGE }, deployment, request)
    expect(made.estimated).toBe(true)
    expect(made.usage.imageOutput).toBeGreaterThan(0)
  })
})
