import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { findCanaries } from "./search.ts"

const TEXT = 'canary/of "a test" + more'
const CANARY = { name: "it", text: TEXT }

const FORMS: Readonly<Record<string, string | Uint8Array>> = {
  plain: TEXT,
  "in a URL": encodeURIComponent(TEXT),
  "in JSON": JSON.stringify({ text: TEXT }),
  "in hex": Buffer.from(TEXT).toString("hex"),
  "in base64": Buffer.from(TEXT).toString("base64"),
  "in base64, after one byte": Buffer.from(`x${TEXT}`).toString("base64"),
  "in base64url, after two bytes": Buffer.from(`xy${TEXT}`).toString("base64url"),
  "in gzip": gzipSync(`before ${TEXT} after`),
  "between other bytes": Buffer.concat([Buffer.from([0, 255]), Buffer.from(TEXT)]),
}

test.each(Object.keys(FORMS))("the search finds a canary %s", (form) => {
  const output = { name: "file", bytes: Buffer.from(FORMS[form] ?? "") }
  expect(findCanaries(output, [CANARY])).toEqual([expect.stringContaining("file has it")])
})

test("the search does not match other text", () => {
  const output = { name: "file", bytes: Buffer.from("canary/of another test") }
  expect(findCanaries(output, [CANARY])).toEqual([])
})
