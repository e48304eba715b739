import { expect, test } from "bun:test"
import { measureMedia } from "../../src/media/measure/measure.ts"
import { threadTime } from "../support/processor-time.ts"

test("the token bound of a text file covers at least the bytes of its Unicode normal forms", () => {
  for (const text of ["plain", "\ufdfa", "e\u0301", "\u{1d15e}", "a\u0301\u0323".repeat(10)]) {
    const { extent } = measureMedia({ bytes: Buffer.from(text) })
    const forms = [text, text.normalize("NFC"), text.normalize("NFKC")]
    const most = Math.max(...forms.map((form) => Buffer.byteLength(form)))
    expect(extent?.textBytes).toBeGreaterThanOrEqual(most)
  }
})

test("the token bound of a text file with combining marks requires only one pass", () => {
  const bytes = Buffer.from(`a${"\u0301\u0323".repeat(200_000)}`)
  expect(threadTime(() => measureMedia({ bytes }), 200)).toBeLessThan(200)
})
