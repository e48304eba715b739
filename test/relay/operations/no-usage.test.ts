import { describe, expect, test } from "bun:test"
import type { ImageRequest } from "../../../src/canon/image.ts"
import type { SpeechRequest } from "../../../src/canon/speech.ts"
import type { TranscriptionRequest } from "../../../src/canon/transcription.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import type { Deployment } from "../../../src/catalog/model.ts"
import type { Price } from "../../../src/ledger/price.ts"
import { imagesUsage } from "../../../src/relay/operations/image/image-usage.ts"
import { usageOf } from "../../../src/dialects/transcription/formats/openai.ts"
import { rerankUsage } from "../../../src/relay/operations/rerank/rerank.ts"
import { speechUsage, unreadUsage } from "../../../src/relay/operations/speech/speech-usage.ts"
import { transcriptionUsage } from "../../../src/relay/operations/transcription/transcription-usage.ts"

function priceOf(rates: Partial<Price["rates"]>): Price {
  return { rates, multiplier: 1n } as unknown as Price
}

describe("a delivered response with zero reported usage", () => {
  const tokens = priceOf({ inputFresh: 1n, output: 2n, audioOutput: 3n })
  const byTokens = { price: tokens, upstreamModel: "gpt-4o-transcribe" }

  test("costs 32 tokens per second of audio for a transcript of Gemini", () => {
    const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
    const gemini = { price: tokens, upstreamModel: "gemini-3.6-flash" }
    const counted = transcriptionUsage({ text: "hello", usage: {} }, request, gemini)
    expect(counted).toMatchObject({ usage: { audioInput: 96 }, estimated: true })
  })

  test("costs the seconds of the audio for a transcript with a price per second", () => {
    const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
    const price = { price: priceOf({ seconds: 1n }), upstreamModel: "whisper-1" }
    const told = { text: "hello", usage: { seconds: 0 }, duration: 0 }
    const counted = transcriptionUsage(told, request, price)
    expect(counted).toMatchObject({ usage: { seconds: 3 }, estimated: true })
    const heard = transcriptionUsage({ ...told, usage: { seconds: 2 } }, request, price)
    expect(heard).toMatchObject({ usage: { seconds: 2 }, estimated: false })
  })

  test("costs the estimated tokens of the audio and of the transcript", () => {
    const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
    const usage = { tokens: { text: 0, audio: 0, output: 0 } }
    const counted = transcriptionUsage({ text: "hello", usage }, request, byTokens)
    expect(counted).toMatchObject({ usage: { audioInput: 30, output: 2 }, estimated: true })
  })

  test.each([
    [{ text: 4, audio: 0, output: 240 }, { inputFresh: 4, audioInput: 30, output: 240 }, true],
    [{ text: 4, audio: 90, output: 0 }, { inputFresh: 4, audioInput: 90, output: 2 }, true],
    [
      { text: 4, audio: 90, output: 50, reasoning: 50 },
      { inputFresh: 4, audioInput: 90, output: 52 },
      true,
    ],
    [{ text: 30, audio: 0, output: 2 }, { inputFresh: 30, audioInput: 0, output: 2 }, false],
  ])(
    "costs estimated tokens for the missing counts of a transcript, %j",
    (reported, usage, estimated) => {
      const request = { audio: { seconds: 3 } } as unknown as TranscriptionRequest
      const counted = transcriptionUsage(
        { text: "hello", usage: { tokens: reported } },
        request,
        byTokens,
      )
      expect(counted).toMatchObject({ usage, estimated })
    },
  )

  test.each([
    [{ prompt_tokens: 4, completion_tokens: 20, total_tokens: 399 }, 375],
    [{ prompt_tokens: 4, completion_tokens: 20 }, 0],
  ])("costs the audio tokens that are part of a transcript's total, %j", (usage, audio) => {
    expect(usageOf(usage)).toEqual({ tokens: { text: 4, audio, output: 20 } })
  })

  test("costs the number of searches of a rerank request", async () => {
    const request = { query: "q", documents: Array.from({ length: 120 }, () => "text") }
    const result = { ranking: [], isSquashed: false, searches: 0 }
    const count = () => Promise.resolve(0)
    const counted = await rerankUsage(request as never, result, { searches: 1n }, count)
    expect(counted).toMatchObject({ usage: { searches: 2 }, estimated: true })
  })

  test("costs the estimated output for speech, in addition to reported input", () => {
    const request = { input: "hello", speed: 1 } as unknown as SpeechRequest
    const amount = { request, form: "pcm", bytes: 48_000, announced: undefined } as const
    const reported = { ...NO_USAGE, inputFresh: 7 }
    const spoken = speechUsage({ ...amount, ending: "whole", reported }, tokens)
    expect(spoken).toMatchObject({ usage: { inputFresh: 7 }, estimated: true })
    expect(spoken.usage.audioOutput).toBeGreaterThan(0)
  })

  test("costs the estimated output for speech", () => {
    const request = { input: "hello", speed: 1 } as unknown as SpeechRequest
    const amount = { request, form: "pcm", bytes: 48_000, announced: undefined } as const
    const spoken = speechUsage({ ...amount, ending: "whole", reported: NO_USAGE }, tokens)
    expect(spoken.estimated).toBe(true)
    expect(spoken.usage.audioOutput).toBeGreaterThan(0)
  })

  test("includes the instructions for speech as input, even if the response cannot be read", () => {
    const request = { input: "hello", instructions: "Be kind. ".repeat(400) }
    const amount = {
      request: request as unknown as SpeechRequest,
      form: "pcm",
      bytes: 48_000,
      announced: undefined,
      reported: undefined,
    } as const
    const plain = speechUsage(
      { ...amount, request: { input: "hello" } as never, ending: "whole" },
      tokens,
    )
    for (const ending of ["whole", "broken", "left"] as const) {
      const { usage } = speechUsage({ ...amount, ending }, tokens)
      expect(usage.inputFresh - plain.usage.inputFresh).toBeGreaterThan(600)
    }
    expect(unreadUsage(request).inputFresh - plain.usage.inputFresh).toBeGreaterThan(600)
    expect(unreadUsage(request, { ...NO_USAGE, inputFresh: 7 }).inputFresh).toBe(7)
  })

  test("costs estimated tokens for the missing counts of images", () => {
    const request = {
      prompt: "a cat",
      count: 1,
      images: [],
      fields: {},
      extra: {},
      options: {},
    } as unknown as ImageRequest
    const deployment = { upstreamModel: "gpt-image-1", price: tokens } as unknown as Deployment
    for (const inputFresh of [0, 20]) {
      const made = imagesUsage(
        { images: 1, usage: { ...NO_USAGE, inputFresh } },
        deployment,
        request,
      )
      expect(made.estimated).toBe(true)
      expect(made.usage.inputFresh).toBe(inputFresh === 0 ? 2 : 20)
      expect(made.usage.imageOutput).toBeGreaterThan(0)
    }
  })

  test("costs an estimate only for image calls without usage", () => {
    const request = { prompt: "a cat", count: 2, images: [], fields: {}, extra: {}, options: {} }
    const deployment = { upstreamModel: "gpt-image-1", price: tokens } as unknown as Deployment
    const usageOf = (response: Parameters<typeof imagesUsage>[0]) =>
      imagesUsage(response, deployment, request as unknown as ImageRequest)
    const one = usageOf({ images: 1 }).usage
    const usage = { ...NO_USAGE, inputFresh: 20, imageOutput: 1_120 }
    const thoughts = { ...NO_USAGE, inputFresh: 20, output: 50, reasoning: 50 }
    for (const [second, input] of [
      [{ images: 1 }, 22],
      [{ images: 1, usage: thoughts }, 40],
    ] as const) {
      const made = usageOf({ images: 2, calls: [{ images: 1, usage }, second] })
      expect(made).toMatchObject({ usage: { inputFresh: input, images: 2 }, estimated: true })
      expect(made.usage.imageOutput).toBe(1_120 + one.imageOutput)
    }
  })
})
