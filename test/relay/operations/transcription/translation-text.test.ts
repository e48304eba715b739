import { describe, expect, test } from "bun:test"
import {
  boundOfBytes,
  boundOfChunks,
  chunksOfLines,
  chunksOfText,
  readTranslation,
  translationRequest,
} from "../../../../src/relay/operations/transcription/translation-text.ts"

const MAX_CHUNK_BYTES = 4_000

function sizes(chunks: readonly (readonly string[])[]): number[] {
  return chunks.map((chunk) => Buffer.byteLength(chunk.join("")))
}

describe("text split into chunks", () => {
  const text = "Она сказала это. ".repeat(1_000).trim()

  test("ends each chunk at the end of a sentence", () => {
    const chunks = chunksOfText(text)
    expect(chunks.length).toBeGreaterThan(5)
    expect(Math.max(...sizes(chunks))).toBeLessThanOrEqual(MAX_CHUNK_BYTES)
    for (const [chunk = ""] of chunks) expect(chunk).toEndWith("это.")
    expect(chunks.flat().join(" ")).toBe(text)
  })

  test("ends a chunk at any place except within a character if there are no sentences", () => {
    for (const endless of ["𝄞".repeat(5_000), "ab".repeat(9_000), "слово ".repeat(3_000).trim()]) {
      const chunks = chunksOfText(endless)
      expect(Math.max(...sizes(chunks))).toBeLessThanOrEqual(MAX_CHUNK_BYTES)
      expect(chunks.flat().join("").replaceAll(" ", "")).toBe(endless.replaceAll(" ", ""))
    }
  })

  test("results in no chunks if it is empty", () => {
    expect(chunksOfText(" \n ")).toEqual([])
  })
})

test("lines for translation are joined up to a length", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${"x".repeat(80)}`)
  const chunks = chunksOfLines(lines)
  expect(chunks.flat()).toEqual(lines)
  expect(Math.max(...sizes(chunks))).toBeLessThanOrEqual(MAX_CHUNK_BYTES)
  expect(chunks.length).toBeLessThan(10)
})

test("the hold for a text of a given length covers every way of splitting the text", () => {
  for (const lines of [
    Array.from({ length: 400 }, () => "Да. Нет. Да."),
    Array.from({ length: 30 }, () => "x".repeat(2_100)),
    ["y".repeat(9_000)],
  ]) {
    const bytes = Buffer.byteLength(lines.join(""))
    const held = boundOfBytes(bytes, "Names")
    for (const chunks of [chunksOfLines(lines), chunksOfText(lines.join(" "))]) {
      const used = boundOfChunks(chunks, "Names")
      expect(used.input).toBeLessThanOrEqual(held.input)
      expect(used.output).toBeLessThanOrEqual(held.output)
      const options = { upstreamModel: "x", prompt: "Names", limit: Number.POSITIVE_INFINITY }
      const requests = chunks.map((chunk) => translationRequest(chunk, options))
      const asked = requests.reduce((sum, { maxTokens = 0 }) => sum + maxTokens, 0)
      expect(asked).toBeLessThanOrEqual(held.output)
    }
  }
})

describe("the decoder of a translated response", () => {
  test("reads the response line by line", () => {
    expect(readTranslation(["uno", "due"], "1|one\n2| two \n")).toEqual(["one", "two"])
    expect(readTranslation(["uno", "due"], "Here:\n1 | one\nand more\n\n2|two")).toEqual([
      "one and more",
      "two",
    ])
    expect(readTranslation(["uno"], " one\ntwo ")).toEqual(["one\ntwo"])
  })

  test("rejects a response whose line numbers do not match", () => {
    for (const wrong of [
      "1|one",
      "1|one\n3|two",
      "1|one\n2|two\n3|three",
      "one\ntwo",
      "2|a\n1|b",
    ]) {
      expect(() => readTranslation(["uno", "due"], wrong)).toThrow("lines of the transcript")
    }
  })
})
