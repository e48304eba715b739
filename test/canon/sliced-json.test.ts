import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { cutOfString } from "../../src/canon/json-bytes.ts"
import { type JsonValue, UnparsedObject } from "../../src/canon/json.ts"
import { parseInSlices, SLICE_BYTES } from "../../src/canon/sliced-json.ts"
import { jsonBytesInSlices } from "../../src/canon/sliced-json-text.ts"
import { threadTime } from "../support/processor-time.ts"

const LONG = "q".repeat(SLICE_BYTES + 10)
const MANY = Array.from({ length: 60_000 }, (_, index) => index)

/** Values that are longer than a slice, in every kind of place. */
const VALUES: Readonly<Record<string, JsonValue>> = {
  "a long text": LONG,
  "escapes at every position of a split": Array.from(
    { length: 8 },
    (_, index) => "x".repeat(index) + "\n".repeat(SLICE_BYTES),
  ),
  "characters of every length": `${"ä€😀".repeat(SLICE_BYTES / 4)}`,
  "byte order marks": "\uFEFF".repeat(SLICE_BYTES),
  "unpaired surrogates": `${"x".repeat(SLICE_BYTES - 1)}\uD83D\uDE00\uD83D`,
  "many numbers": MANY,
  "many members": Object.fromEntries(MANY.map((index) => [`name ${index}`, [index]])),
  "long within long": { a: [1, { b: [[], LONG, { c: LONG, d: {} }, 2] }], e: MANY, f: null },
  "objects that are not parsed": ['{"a":[1]}', `{"a":"${LONG}"}`, "{", LONG].map(
    (text) => new UnparsedObject(text) as unknown as JsonValue,
  ),
  "deep lists": JSON.parse(`${"[1,".repeat(60)}"${LONG}"${"]".repeat(60)}`) as JsonValue,
}

/** Invalid JSON texts. Some of them are no longer than a slice. */
const WRONG = [
  `{"a":"${LONG}",}`,
  `{"a":"${LONG}" "b":1}`,
  `{"a":"${LONG}"]`,
  `["${LONG}",]`,
  `["${LONG}" 1]`,
  `[,"${LONG}"]`,
  `["${LONG}"`,
  `["${LONG}"] 1`,
  `{a:"${LONG}"}`,
  `{"a" "${LONG}"}`,
  `{"a":{"b":1,["${LONG}"]}}`,
  `[1 ["${LONG}"]]`,
  `{"a":{"b":"${LONG}",,"c":1}}`,
  `["${LONG}\n"]`,
  `["${LONG}\\q"]`,
  `"${LONG}`,
  `[tru${" ".repeat(SLICE_BYTES)}e]`,
]

describe("the sliced JSON codec", () => {
  for (const [name, value] of Object.entries(VALUES)) {
    test(`reads ${name} like JSON.parse`, async () => {
      for (const text of [JSON.stringify(value), JSON.stringify({ a: value }, null, 2)]) {
        expect(await parseInSlices(Buffer.from(text))).toEqual(
          JSON.parse(Buffer.from(text).toString()),
        )
      }
    })

    test(`writes ${name} like JSON.stringify`, async () => {
      expect(Buffer.from(await jsonBytesInSlices(value)).toString()).toBe(JSON.stringify(value))
    })
  }

  test("keeps a member called __proto__, and uses the last of two members with the same name", async () => {
    const text = `{"__proto__":{"x":"${LONG}"},"a":1,"a":"${LONG}","__proto__":"${LONG}"}`
    const read = await parseInSlices(Buffer.from(text))
    expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  test("accepts white space everywhere", async () => {
    const blank = " \n\r\t".repeat(SLICE_BYTES / 3)
    const parts = [
      "",
      "{",
      '"a"',
      ":",
      "[",
      "1",
      ",",
      "{",
      "}",
      "]",
      ",",
      '"b"',
      ":",
      "true",
      "}",
      "",
    ]
    const text = parts.join(blank)
    expect(await parseInSlices(Buffer.from(text))).toEqual({ a: [1, {}], b: true })
  })

  test("rejects a syntax error at any position", async () => {
    for (const text of WRONG) {
      expect(() => JSON.parse(text) as unknown).toThrow()
      expect(
        await parseInSlices(Buffer.from(text)).catch((error: unknown) => error),
      ).toBeInstanceOf(SyntaxError)
    }
  })
})

test("the sliced JSON codec has the same results as JSON.parse and JSON.stringify for any value", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const long = [LONG, value, { a: value, b: LONG, c: [value, value] }, value] as JsonValue
      const text = JSON.stringify(long)
      expect(JSON.stringify(await parseInSlices(Buffer.from(text)))).toBe(
        JSON.stringify(JSON.parse(text)),
      )
      expect(Buffer.from(await jsonBytesInSlices(long)).toString()).toBe(text)
    }),
    { numRuns: 40 },
  )
})

test("the sliced JSON codec splits a long text without searching back to its start", () => {
  const bytes = Buffer.alloc(30_000_000, "a")
  const cuts = () => {
    for (let limit = 29_000_000; limit < 29_002_000; limit++) cutOfString(bytes, 0, limit)
  }
  expect(threadTime(cuts, 50)).toBeLessThan(50)
  expect(cutOfString(bytes, 0, 29_000_000)).toBe(29_000_000)
})
