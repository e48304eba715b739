import { describe, expect, spyOn, test } from "bun:test"
import fc from "fast-check"
import { textOf, TextReader, textArguments } from "../../../src/dialects/shared/text-tool.ts"

/** Returns the text that is read from arguments that arrive in pieces. */
function readInPieces(pieces: readonly string[]): string {
  const reader = new TextReader()
  return pieces.map((piece) => reader.push(piece)).join("") + reader.end()
}

function inPieces(written: string, size: number): string[] {
  return Array.from({ length: Math.ceil(written.length / size) }, (_, index) =>
    written.slice(index * size, (index + 1) * size),
  )
}

const FORMS: readonly [name: string, written: string, text: string][] = [
  ["the expected form", '{"input":"a\\n\\"b\\""}', 'a\n"b"'],
  ["white space", ' { "input" : "a" } ', "a"],
  ["every escape", String.raw`{"input":"\"\\\/\b\f\n\r\t\u00e9\uD83d\ude00"}`, '"\\/\b\f\n\r\té😀'],
  ["an unknown escape", String.raw`{"input":"\q"}`, "q"],
  ["an unescaped line break", '{"input":"a\nb"}', "a\nb"],
  ["an unpaired surrogate", String.raw`{"input":"\ud83d"}`, "\uD83D"],
  ["another name", '{"code":"a\\nb"}', "a\nb"],
  ["further members", '{"why":"x","count":[1,{"a":2}],"input":"a"}', "a"],
  ["only a text", '"a\\nb"', "a\nb"],
  ["no member", "{}", ""],
  ["plain text", "a\nb", "a\nb"],
  ["a member other than text", '{"input":1}', '{"input":1}'],
  ["several members", '{"a":"b","c":"d"}', '{"a":"b","c":"d"}'],
  ["a late start", `${" ".repeat(5_000)}{"input":"a\\nb"}`, "a\nb"],
  ["a long text of another name", `{"code":"${"{\\n".repeat(100_000)}"}`, "{\n".repeat(100_000)],
  ["a duplicate member", '{"input":"a","input":"b"}', "a"],
  ["a text before another member", '{"input":"a\\n","b":"c"}', "a\n"],
  ["a text that looks like the end", String.raw`{"input":"a\"}"}`, 'a"}'],
  ["only an escaped end", String.raw`{"input":"a\"}`, 'a"}'],
  ["digits of other alphabets", String.raw`{"input":"\u００e9"}`, String.raw`\u００e9"}`],
  ["no text", '{"input":""}', ""],
  ["no end", '{"input":"', ""],
  ["an incomplete end", '{"input":"ab\\', "ab"],
  ["an incomplete escape at the end", String.raw`{"input":"ab\u00e`, "ab"],
  ["an invalid escape", String.raw`{"input":"a\nb\uZZZZc\nd"}`, String.raw`a${"\n"}b\uZZZZc\nd"}`],
  ["an invalid last digit", String.raw`{"input":"\u123Gc"}`, String.raw`\u123Gc"}`],
  ["an escape with too few digits", String.raw`{"input":"a\u1"}`, String.raw`a\u1"}`],
  ["a short invalid end", String.raw`{"input":"a\uZ`, String.raw`a\uZ`],
]

describe("the reader of a text tool's arguments", () => {
  test.each(FORMS)("returns the text of arguments with %s", (_, written, text) => {
    expect(textOf(written)).toBe(text)
    for (const size of written.length < 100 ? [1, 2, 3, 4, 5, 6, 7] : [3]) {
      expect(readInPieces(inPieces(written, size))).toBe(text)
    }
  })

  test("returns the encoded text for any split of the arguments", () => {
    const units = fc.string({
      unit: fc.constantFrom("a", '"', "\\", "\n", "é", "\uD83D", "\u0001"),
    })
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const written = textArguments(text)
        expect(textOf(written)).toBe(text)
        expect(readInPieces(inPieces(written, size))).toBe(text)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test("does not parse an object with many values", () => {
    const written = [
      `{"a":[${"{},".repeat(9_000)}1]}`,
      `{"a":"${"x".repeat(9_000)}","b":[${"1,".repeat(99)}1]}`,
    ]
    using parses = spyOn(JSON, "parse")
    for (const each of written) expect([textOf(each), readInPieces([each])]).toEqual([each, each])
    expect(parses).not.toHaveBeenCalled()
  })

  test("searches for the text only in the first characters, regardless of the number of chunks", () => {
    using searches = spyOn(RegExp.prototype, "exec")
    const pieces = Array.from({ length: 5_000 }, () => " ".repeat(100))
    expect(readInPieces(pieces)).toBe(pieces.join(""))
    expect(searches.mock.calls.length).toBeLessThan(20)
  })

  test("forwards text after an invalid escape sequence without searching it", () => {
    using searches = spyOn(String.prototype, "indexOf")
    using characters = spyOn(String.prototype, "charCodeAt")
    const pieces = Array.from({ length: 5_000 }, () => "x".repeat(100))
    const text = readInPieces([String.raw`{"input":"\uZZZZ`, ...pieces])
    const counts = [searches.mock.calls.length, characters.mock.calls.length]
    expect(text === String.raw`\uZZZZ` + pieces.join("")).toBe(true)
    expect(Math.max(...counts)).toBeLessThan(20)
  })

  test("parses complete arguments as JSON instead of searching each character", () => {
    const text = "\u0001\n\uD83D[{".repeat(10_000)
    const written = textArguments(text)
    using characters = spyOn(String.prototype, "charCodeAt")
    const found = textOf(written)
    expect(characters).not.toHaveBeenCalled()
    expect(found === text).toBe(true)
  })

  test("reads hexadecimal digits without converting them to lowercase", () => {
    const text = "\u0001".repeat(10_000)
    const written = textArguments(text)
    using characters = spyOn(String.prototype, "toLowerCase")
    const found = readInPieces([written])
    expect(characters).not.toHaveBeenCalled()
    expect(found === text).toBe(true)
  })

  test("does not replace a million escape sequences one by one", () => {
    const text = "\n".repeat(1_000_000)
    const written = textArguments(text)
    using replacements = spyOn(String.prototype, "replaceAll")
    expect(readInPieces([written]) === text).toBe(true)
    expect(replacements).not.toHaveBeenCalled()
  })
})
