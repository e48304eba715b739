import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { wholeSound } from "../../../simulator/audio/sound.ts"
import { makePdf } from "../../media/make-pdf.ts"
import { wave } from "../../support/audio.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"

const PRICE = { input: "1", output: "1" } as const

/** One vendor of each kind, which reports the counts of its test. */
function startCounting(inputTokens: number, seconds = 0) {
  let calls = 0
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      await request.bytes()
      calls++
      const { pathname } = new URL(request.url)
      if (pathname.endsWith("/messages")) return Response.json(messageOf(inputTokens))
      if (pathname.includes("generateContent")) return Response.json(contentOf(inputTokens))
      return Response.json({ text: "", usage: { type: "duration", seconds } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    get calls() {
      return calls
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}

function messageOf(tokens: number): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [{ type: "text", text: "Read." }],
    stop_reason: "end_turn",
    usage: { input_tokens: tokens, output_tokens: 1 },
  }
}

function contentOf(tokens: number): object {
  return {
    candidates: [{ content: { role: "model", parts: [{ text: "Seen." }] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: tokens,
      candidatesTokenCount: 1,
      totalTokenCount: tokens + 1,
    },
  }
}

function startWorld(url: string): Promise<TestGateway> {
  const chat = { kind: "chat", price: PRICE, context: 1_000_000, maxOutput: 100 } as const
  return startGateway({
    providers: {
      anthropic: provider(url, "anthropic"),
      google: provider(url, "google"),
      openai: provider(`${url}/v1`, "openai"),
    },
    models: {
      "anthropic/claude-reader": chat,
      "google/gemini-viewer": chat,
      "openai/whisper-1": { kind: "transcription", price: { second: "100" } },
    },
  })
}

function writeOffs({ heard }: TestGateway): unknown[] {
  return heard.filter(({ name }) => name === "writtenOff").map(({ facts }) => facts)
}

function readPdf(pdf: Buffer): object {
  const source = { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") }
  return {
    model: "anthropic/claude-reader",
    max_tokens: 10,
    messages: [{ role: "user", content: [{ type: "document", source }] }],
  }
}

function watch(video: Buffer): object {
  const file = { filename: "a.mp4", file_data: `data:video/mp4;base64,${video.toString("base64")}` }
  const content = [{ type: "file", file }]
  return { model: "google/gemini-viewer", max_tokens: 10, messages: [{ role: "user", content }] }
}

/** In this test, one word is one token, and the image of a page takes 1,600 tokens. */
const WORDS = 1_400
const PAGES = 100
const PAGE_TOKENS = 1_600 + WORDS

describe("small PDFs with many pages of text", () => {
  const text = "word ".repeat(WORDS)
  const files = {
    shared: makePdf({ pages: PAGES, text }),
    "with a false count in a comment": makePdf({ pages: PAGES, text, comment: "%/Count 1" }),
    "with a false count in its tree": makePdf({ pages: PAGES, text, count: 1 }),
    packed: makePdf({ pages: PAGES, text, isPacked: true }),
    encrypted: makePdf({ pages: PAGES, text, trailer: "/Encrypt 9 0 R" }),
  }
  test.each(sampleOf(Object.entries(files), 2))(
    "have a hold that covers the maximum cost: %s",
    async (_, pdf) => {
      using vendor = startCounting(PAGES * PAGE_TOKENS)
      await using gateway = await startWorld(vendor.url)
      const caller = await gateway.caller("1.1")
      const bodies = Array.from({ length: 40 }, () => caller.post("/v1/messages", readPdf(pdf)))
      const statuses = await Promise.all(bodies.map(async (response) => (await response).status))
      expect(statuses.filter((status) => status === 200).length).toBeWithin(1, 4)
      expect(writeOffs(gateway)).toEqual([])
    },
  )
})

test("the hold for an ordinary PDF is only a few times its cost", async () => {
  using vendor = startCounting(3 * PAGE_TOKENS)
  await using gateway = await startWorld(vendor.url)
  // Three pages cost 0.007 credits.
  const caller = await gateway.caller("0.03")
  const pdf = makePdf({ pages: 3, text: "word ".repeat(WORDS), isShared: false })
  expect((await caller.post("/v1/messages", readPdf(pdf))).status).toBe(200)
  expect(writeOffs(gateway)).toEqual([])
})

test("the hold for a video at Gemini depends on its duration, not on its file size", async () => {
  // The video lasts ten minutes and has one frame per minute.
  const video = readFileSync(join(import.meta.dir, "../../media/samples/sparse.mp4"))
  const tokens = 600 * (258 + 32)
  using vendor = startCounting(tokens)
  await using gateway = await startWorld(vendor.url)
  const caller = await gateway.caller("0.5")
  const responses = Array.from({ length: 20 }, () =>
    caller.post("/v1/chat/completions", watch(video)),
  )
  const statuses = await Promise.all(responses.map(async (response) => (await response).status))
  // Each request costs 0.174 credits.
  expect(statuses.filter((status) => status === 200).length).toBeWithin(1, 3)
  expect(writeOffs(gateway)).toEqual([])
})

function aboveHolds({ heard }: TestGateway): unknown[] {
  return heard.filter(({ name }) => name === "audioAboveHold").map(({ facts }) => facts)
}

async function transcribe(
  gateway: TestGateway,
  { key }: TestCaller,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const form = new FormData()
  form.append("model", "openai/whisper-1")
  form.append("file", new File([bytes], "a.bin"))
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  expect(response.status).toBe(200)
  await response.bytes()
}

describe("a file whose header understates its duration", () => {
  // A minute at 32,000 bytes per second, disguised as ten seconds at six times that rate.
  const file = wave(60)
  new DataView(file.buffer).setUint16(22, 2, true)
  new DataView(file.buffer).setUint32(24, 48_000, true)

  test("costs as much as the reported duration, and the operator is notified", async () => {
    using vendor = startCounting(0, 60)
    await using gateway = await startWorld(vendor.url)
    const caller = await gateway.caller("1")
    await transcribe(gateway, caller, file)
    expect(await caller.balance()).toBe(1_000_000_000n - 60n * 100_000n)
    expect(writeOffs(gateway)).toEqual([])
    const facts = [expect.any(String), "openai/whisper-1", 50n * 100_000n]
    expect(aboveHolds(gateway)).toEqual([facts])
  })

  test("never costs more than the maximum for its size", async () => {
    using vendor = startCounting(0, 1_000_000)
    await using gateway = await startWorld(vendor.url)
    const caller = await gateway.caller("1")
    await transcribe(gateway, caller, file)
    // 6 kbit/s is the lowest bit rate of speech.
    const most = BigInt(Math.ceil(file.length / 750)) * 100_000n
    expect(await caller.balance()).toBe(1_000_000_000n - most)
    expect(writeOffs(gateway)).toHaveLength(1)
  })
})

describe("silent audio for a model that is charged by the second", () => {
  const sample = (name: string): Uint8Array<ArrayBuffer> =>
    new Uint8Array(readFileSync(join(import.meta.dir, "../../media/samples", name)))
  const files: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
    "silent AAC in MP4": sample("minute.m4a"),
    "silent AAC in fragments": sample("fragments.mp4"),
    "silent Vorbis": sample("minute.ogg"),
    "silent Opus in WebM": sample("minute.webm"),
    "silent FLAC": wholeSound("flac", 60),
    "silent Opus in Ogg": wholeSound("opus", 60),
    MP3: wholeSound("mp3", 60),
    WAV: wave(60),
  }
  const minutes = Object.entries(files).map(([name, bytes]) => [name, 60, bytes] as const)
  // The file is so large that it is forwarded while it arrives. Its hold is first computed from its bytes.
  const long = ["20 minutes of FLAC", 1_200, wholeSound("flac", 1_200)] as const
  test.each([...minutes, long])("costs its full price: %s", async (_, seconds, bytes) => {
    using vendor = startCounting(0, seconds)
    await using gateway = await startWorld(vendor.url)
    const caller = await gateway.caller("1")
    await transcribe(gateway, caller, bytes)
    expect(writeOffs(gateway)).toEqual([])
    expect(aboveHolds(gateway)).toEqual([])
    // The price is 100 credits per million seconds.
    expect(await caller.balance()).toBe(1_000_000_000n - BigInt(seconds) * 100_000n)
  })
})
