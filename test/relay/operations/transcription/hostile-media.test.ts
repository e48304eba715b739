import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { makePdf } from "../../../media/make-pdf.ts"
import { audioModels } from "../../../support/audio.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../../support/gateway.ts"
import { longestPause } from "../../../support/pauses.ts"

/** Maximum time in milliseconds that other callers may wait. */
const MAX_PAUSE_MS = 100
const MAX_PAUSE_OF_MANY_MS = 200
const MANY = 30

const LARGE = 24 * 1024 * 1024
const MEDIUM = 6 * 1024 * 1024
/** Size of most files in bytes. It is small, because this process also sends all of them. */
const SMALL = 2 * 1024 * 1024

let gateway: TestGateway
/** A caller without credits. */
let attacker: TestCaller

beforeAll(async () => {
  const { providersAt, models } = audioModels()
  const limits = {
    bodyBytes: 1 << 26,
    mediaBytes: 1 << 26,
    responseBytes: 1 << 26,
    mediaPrivate: false,
  }
  gateway = await startGateway({
    ...(providersAt && { providersAt }),
    models: { ...models, "sim/echo": { kind: "chat", price: { input: "1", output: "1" } } },
    settings: { limits },
  })
  attacker = await gateway.caller("0")
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** Returns a tag with the maximum number of tiny frames. */
function tagged(version: number, frame: Buffer, bytes: number): Buffer {
  const count = Math.floor((bytes - 10) / frame.length)
  const size = count * frame.length
  const head = Buffer.from([0x49, 0x44, 0x33, version, 0, 0, 0, 0, 0, 0])
  for (let index = 0; index < 4; index++) head[9 - index] = (size >> (7 * index)) & 0x7f
  return Buffer.concat([head, repeated(frame, size)])
}

function repeated(unit: Buffer | string, bytes: number): Buffer {
  return Buffer.alloc(bytes, unit as string)
}

function ascii(text: string): Buffer {
  return Buffer.from(text, "latin1")
}

const OGG_PAGE = ascii(`OggS\0\0${"\0".repeat(20)}\xff${"\0".repeat(255)}`)

/** Files that a careless parser reads for seconds, by name. Each function creates a file of the given size. */
const FILES: Readonly<Record<string, (bytes: number) => Buffer>> = {
  "an ID3v2.4 tag of tiny TXXX frames": (bytes) => tagged(4, ascii("TXXX\0\0\0\x01\0\0\0"), bytes),
  "an ID3v2.2 tag of tiny COM frames": (bytes) => tagged(2, ascii("COM\0\0\x01\0"), bytes),
  "MP4 of empty atoms": (bytes) =>
    Buffer.concat([ascii("\0\0\0\x10ftypM4A \0\0\0\0"), repeated(ascii("\0\0\0\x08free"), bytes)]),
  "MP4 of tracks": (bytes) =>
    Buffer.concat([ascii("\0\0\0\x10ftypM4A \0\0\0\0"), repeated(ascii("\0\0\0\x08trak"), bytes)]),
  "FLAC of empty blocks": (bytes) => Buffer.concat([ascii("fLaC"), repeated("\x01\0\0\0", bytes)]),
  "FLAC of false frames": (bytes) =>
    Buffer.concat([ascii("fLaC\x80\0\0\0"), repeated(Buffer.from([0xff, 0xf8]), bytes)]),
  "Ogg of empty packets": (bytes) => repeated(OGG_PAGE, bytes),
  "MP3 of false frames": (bytes) =>
    Buffer.concat([
      Buffer.from([0xff, 0xfb, 0x90, 0]),
      repeated(Buffer.from([0xff, 0xfb, 0x10, 0]), bytes),
    ]),
  "WebM of empty elements": (bytes) =>
    Buffer.concat([ascii("\x1aE\xdf\xa3\x84webm"), repeated(Buffer.from([0xec, 0x80]), bytes)]),
  "WebM of tracks": (bytes) =>
    Buffer.concat([ascii("\x1aE\xdf\xa3\x84webm"), repeated(Buffer.from([0xae, 0x80]), bytes)]),
  "MPEG of start codes": (bytes) => repeated(Buffer.from([0, 0, 1, 0xba]), bytes),
}

async function transcribe(file: File): Promise<number> {
  const form = new FormData()
  form.append("model", "sim/whisper-1")
  form.append("file", file)
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${attacker.key}` },
    body: form,
  })
  await response.bytes()
  return response.status
}

describe("hostile audio from a key without credits", () => {
  test.each(Object.entries(FILES))("does not delay other requests: %s", async (name, make) => {
    const bytes = /tag|tracks|blocks/.test(name) ? LARGE : MEDIUM
    const file = new File([make(bytes)], "a.mp3")
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      expect(await transcribe(file)).toBeOneOf([400, 402])
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  /** The files that take longest to parse. */
  const many = Object.entries(FILES).filter(([name]) => /v2.2|tracks|false/.test(name))
  test.each(many)("does not delay other requests if it is sent many times: %s", async (_, make) => {
    const file = new File([make(SMALL)], "a.mp3")
    const pause = await longestPause(MAX_PAUSE_OF_MANY_MS, async () => {
      await Promise.all(Array.from({ length: MANY }, () => transcribe(file)))
    })
    expect(pause).toBeLessThan(MAX_PAUSE_OF_MANY_MS)
  })
})

describe("hostile documents in a chat from a key without credits", () => {
  const documents: Readonly<Record<string, Buffer>> = {
    "a PDF of brackets": ascii(`%PDF-1.4\n${"1 0 obj [[[[[ ".repeat(300_000)}`),
    "a PDF of objects": ascii(`%PDF-1.4\n${"1 0 obj null ".repeat(400_000)}`),
    "a PDF of many pages": makePdf({ pages: 50_000, text: "x".repeat(1_000_000) }),
    "a PDF of digits": ascii(`%PDF-1.4\n${"1 ".repeat(2_000_000)}`),
    "MP4 of tracks": FILES["MP4 of tracks"]?.(4_000_000) ?? Buffer.alloc(0),
  }
  test.each(Object.entries(documents))("do not delay other requests: %s", async (_, document) => {
    const file = {
      filename: "a",
      file_data: `data:application/pdf;base64,${document.toString("base64")}`,
    }
    const messages = [{ role: "user", content: [{ type: "file", file }] }]
    const body = JSON.stringify({ model: "sim/echo", messages })
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${attacker.key}`, "content-type": "application/json" },
        body,
      })
      expect(response.status).toBe(402)
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })
})
