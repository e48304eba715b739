import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { GatewayError } from "../../src/canon/errors.ts"
import { JsonScanner } from "../../src/canon/json-structure.ts"
import type { JsonValue } from "../../src/canon/json.ts"
import { LongSpans } from "../../src/canon/long-spans.ts"
import { LongValue, parseAround, parseWhole } from "../../src/canon/long-value.ts"
import { joinPieces } from "../../src/canon/sliced-json-text.ts"
import { encodeEmbeddingResult } from "../../src/dialects/embedding/result.ts"
import { embeddingOf, requestOf } from "../dialects/embedding/support.ts"
import { sampleRuns } from "../support/exhaustive.ts"

/**
 * Vectors that are passed on without being parsed must give the same response and the same charge as parsed vectors.
 */

const FORMAT = embeddingOf("openai")

/** Returns the response as a provider sends it in chunks, with its long vectors unparsed. */
async function unparsed(
  bytes: Buffer,
  chunkBytes: number,
  name = "embedding",
): Promise<JsonValue | undefined> {
  const spans = new LongSpans()
  const scanner = new JsonScanner({ spans })
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    scanner.push(bytes.subarray(start, start + chunkBytes))
  }
  return await parseAround(bytes, spans, name)
}

/** Returns the response for the caller and the charged tokens, or the error. */
async function outcomeOf(
  bytes: Buffer,
  json: JsonValue | undefined,
  inputs: number,
  encoding: string,
): Promise<unknown> {
  const input = Array.from({ length: inputs }, () => "text")
  const request = requestOf({ input, encoding_format: encoding })
  try {
    const response = { headers: new Headers(), bytes: new Uint8Array(bytes), json }
    const { vectors, tokens = 0 } = await FORMAT.decode([response], request)
    const text = await joinPieces(encodeEmbeddingResult(request, vectors, tokens))
    return { tokens, count: vectors.length, body: JSON.parse(Buffer.from(text).toString()) }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { kind: error.kind, message: error.message }
  }
}

const floats = fc
  .uint8Array({ minLength: 0, maxLength: 120 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
const number = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.constantFrom("1e-7", "-0.0", "1E+2", "12345678901234567890", "1e999", "-1e400", "0.10"),
  fc.constantFrom("null", "true", '"1"', "[1]", "{}", "01", "1.", "+1", "NaN", ".5", "1 2", ""),
)
const blank = fc.constantFrom("", "", " ", "\n", "\t", "\r\n  ")
const hostileText = fc.constantFrom(
  "A".repeat(80),
  `${"A".repeat(79)}=`,
  `${"A".repeat(40)}=${"A".repeat(39)}`,
  "-_".repeat(40),
  " ".repeat(80),
  "not base64! ".repeat(8),
  String.raw`AAAA\/AAA`.repeat(10),
  String.raw`\u0041`.repeat(16),
  "A".repeat(79).concat("\u0001"),
  "ä".repeat(50),
  ...[29, 30, 31, 32, 33, 34, 35].map((length) => "0".repeat(length)),
)
const quoted = fc.oneof({ weight: 4, arbitrary: floats }, hostileText).map((text) => `"${text}"`)
const list = fc
  .tuple(blank, fc.array(number, { maxLength: 40 }))
  .map(([space, numbers]) => `[${space}${numbers.join(`${space},${space}`)}]`)
const goodList = fc
  .array(fc.float({ noDefaultInfinity: true, noNaN: true }), { minLength: 1, maxLength: 30 })
  .map((numbers) => JSON.stringify(numbers))
const vector = fc.oneof({ weight: 3, arbitrary: goodList }, { weight: 4, arbitrary: quoted }, list)
const unknownMember = fc.oneof(
  fc.tuple(fc.constantFrom("object", "extra", "__proto__", "A".repeat(50), "0".repeat(34)), vector),
  fc.constantFrom<[string, string]>(
    ["embedding", "[1]"],
    ["error", `"${"E".repeat(60)}"`],
    ["nested", `{"embedding":"${"A".repeat(64)}"}`],
  ),
)

function textOf(members: readonly (readonly [string, string])[], space: string): string {
  const texts = members.map(([name, value]) => `${space}"${name}"${space}:${space}${value}`)
  return `{${texts.join(`${space},`)}${space}}`
}

const item = fc
  .tuple(
    vector,
    fc.option(fc.constantFrom("0", "1", "2", "1.5", '"0"', "-1"), { freq: 3 }),
    fc.array(unknownMember, { maxLength: 1 }),
    blank,
  )
  .chain(([embedding, index, others, space]) => {
    const members: (readonly [string, string])[] = [["embedding", embedding], ...others]
    if (index !== null) members.push(["index", index])
    return fc
      .shuffledSubarray(members, { minLength: members.length })
      .map((shuffled) => textOf(shuffled, space))
  })
const usage = fc.constantFrom('{"prompt_tokens":7}', '{"total_tokens":9}', "{}", "null", '"7"')
const response = fc
  .tuple(fc.array(item, { maxLength: 3 }), usage, fc.array(unknownMember, { maxLength: 1 }), blank)
  .chain(([items, counted, others, space]) => {
    const members: (readonly [string, string])[] = [
      ["data", `[${items.join(`${space},`)}]`],
      ["usage", counted],
      ["model", '"text-embedding"'],
      ...others,
    ]
    return fc
      .shuffledSubarray(members, { minLength: members.length })
      .map((shuffled) => space + textOf(shuffled, space))
  })
const damaged = fc
  .tuple(response, fc.nat(), fc.nat(3))
  .map(
    ([text, at, count]) => text.slice(0, at % text.length) + text.slice((at % text.length) + count),
  )

const encoding = fc.constantFrom("float", "base64")

/** Random responses for each law. */
const RUNS = sampleRuns(3_000)

describe("a response whose vectors are passed on unparsed", () => {
  test("results in the same response and token count as a parsed response", async () => {
    const texts = fc.oneof({ weight: 3, arbitrary: response }, damaged)
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.nat(4),
        encoding,
        fc.integer({ min: 1, max: 300 }),
        async (...given) => {
          const [text, inputs, form, chunkBytes] = given
          const bytes = Buffer.from(text)
          const wanted = await outcomeOf(bytes, await parseWhole(bytes), inputs + 1, form)
          const found = await outcomeOf(bytes, await unparsed(bytes, chunkBytes), inputs + 1, form)
          expect(found).toEqual(wanted)
        },
      ),
      { numRuns: RUNS },
    )
  })

  test("has the same value as a parsed response if all of its members are parsed", async () => {
    const texts = fc.oneof({ weight: 3, arbitrary: response }, damaged)
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 300 }), async (text, chunkBytes) => {
        const bytes = Buffer.from(text)
        expect(await unparsed(bytes, chunkBytes, "none")).toStrictEqual(await parseWhole(bytes))
      }),
      { numRuns: RUNS },
    )
  })

  test.each(["float", "base64"])(
    "keeps the bytes of vectors in the requested encoding: %s",
    async (form) => {
      const numbers = Array.from({ length: 64 }, (_, index) => index / 7)
      const text =
        form === "float"
          ? `[${numbers.map((value) => value.toFixed(20)).join(", ")}]`
          : JSON.stringify(Buffer.from(new Float32Array(numbers).buffer).toString("base64"))
      const bytes = Buffer.from(`{"data":[{"embedding":${text}}],"usage":{"total_tokens":1}}`)
      const json = await unparsed(bytes, bytes.length)
      expect(json).toHaveProperty(["data", 0, "embedding"], expect.any(LongValue))
      const request = requestOf({ encoding_format: form })
      const { vectors } = await FORMAT.decode([{ headers: new Headers(), bytes, json }], request)
      const body = Buffer.from(await joinPieces(encodeEmbeddingResult(request, vectors, 1)))
      expect(body.toString()).toContain(`"embedding":${text}}`)
    },
  )
})
