import { describe, expect, test } from "bun:test"
import { audioTokenBound } from "../../src/media/audio-tokens.ts"

/** Number of tokens for half a minute. */
const WINDOW = 30 * 32

describe("audioTokenBound", () => {
  test.each([
    [1, 1],
    [29, 1],
    [61, 3],
    [34_200, 1_140],
  ])("counts %p seconds as %p windows of 30 seconds", (seconds, windows) => {
    const source = { type: "base64", data: "", extent: { seconds } } as const
    expect(audioTokenBound(source)).toBe(windows * WINDOW)
  })

  test("returns no bound for linked audio or for audio of unknown duration", () => {
    expect(audioTokenBound({ type: "url", url: "https://example.com/a.mp3" })).toBe(Infinity)
    expect(audioTokenBound({ type: "reference", id: "x" })).toBe(Infinity)
    expect(audioTokenBound({ type: "base64", data: "AAAA" })).toBe(Infinity)
  })
})
