import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { fileTokenBound } from "../../src/media/input-tokens.ts"
import { base64 } from "./support.ts"
import { processorTime } from "../support/processor-time.ts"

const PAGE = 4_600
const MAX = 1_000 * PAGE

function pdf(pages: number, filler = 0): string {
  const page = "<< /Type /Page /Parent 2 0 R >>\n"
  const tree = `<< /Type /Pages /Count ${pages} >>\n`
  return `%PDF-1.4\n${page.repeat(Math.min(pages, 50))}${"x".repeat(filler)}${tree}%%EOF`
}

describe("fileTokenBound", () => {
  test("a PDF costs its pages", () => {
    expect(fileTokenBound(base64(pdf(1)))).toBe(PAGE)
    expect(fileTokenBound(base64(pdf(3, 20_000)))).toBe(3 * PAGE)
    expect(fileTokenBound(base64(pdf(12, 500_000)))).toBe(12 * PAGE)
  })

  test("but no more than its bytes, since text of a token takes one", () => {
    const short = pdf(40)
    expect(fileTokenBound(base64(short))).toBe(Math.max(PAGE, short.length))
  })

  test("a PDF that packs its pages is taken by its bytes", () => {
    const packed = `%PDF-1.7\n/ObjStm ${"z".repeat(300_000)}%%EOF`
    expect(fileTokenBound(base64(packed))).toBe(packed.length)
    expect(fileTokenBound(base64("z".repeat(300_000), "application/pdf"))).toBe(300_000)
  })

  test("text costs its bytes, and packed office files more", () => {
    expect(fileTokenBound(base64("hello"))).toBe(5)
    expect(fileTokenBound(base64("héllo"))).toBe(6)
    expect(fileTokenBound(base64(`PK\u0003\u0004${"z".repeat(96)}`))).toBe(400)
  })

  test("a file elsewhere is as long as any can be", () => {
    expect(fileTokenBound({ type: "reference", id: "file-1" })).toBe(MAX)
    expect(fileTokenBound({ type: "url", url: "https://example.com/a.pdf" })).toBe(MAX)
  })

  test("decodes the size exactly, whatever the padding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.concat([Buffer.from("t"), bytes])
        expect(fileTokenBound(base64(text))).toBe(text.length)
      }),
    )
  })

  test("never throws and looks at the ends only", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (data, mediaType) => {
        expect(fileTokenBound({ type: "base64", data, mediaType })).toBeGreaterThanOrEqual(0)
      }),
    )
    const data = Buffer.from(`%PDF-1.4${"/Count ".repeat(4_000_000)}`).toString("base64")
    const taken = processorTime(() => {
      expect(fileTokenBound({ type: "base64", data })).toBe(MAX)
    })
    expect(taken).toBeLessThan(200)
  })
})
