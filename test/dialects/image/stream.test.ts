import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { ImageEventReader, paidEvent } from "../../../src/dialects/image/stream.ts"
import { feeding } from "../../support/event-reading.ts"

/** A partial image according to OpenAI's description (`ImageGenStreamEvent`). */
const DRAFT = {
  type: "image_generation.partial_image",
  b64_json: "iVBORw0KGgo=",
  created_at: 1620000000,
  size: "1024x1024",
  quality: "high",
  background: "transparent",
  output_format: "png",
  partial_image_index: 0,
}
const { partial_image_index: _, ...rest } = DRAFT
const LAST = {
  ...rest,
  type: "image_generation.completed",
  usage: {
    total_tokens: 100,
    input_tokens: 50,
    output_tokens: 50,
    input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  },
}

function event({ type }: { readonly type: string }, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`
}

const FIRST_TEXT = event(DRAFT, JSON.stringify(DRAFT))
const TEXT = `: hello\n\n${FIRST_TEXT}${event(LAST, JSON.stringify(LAST))}data: [DONE]\n\n`

/** Returns the output for a text that arrives in chunks. */
function read(reader: ImageEventReader, text: string, cuts: readonly number[] = []): string {
  const bytes = new TextEncoder().encode(text)
  const places = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
  const out: Uint8Array[] = []
  const feed = feeding(reader)
  for (const [index, start] of places.slice(0, -1).entries()) {
    out.push(...feed(bytes.subarray(start, places[index + 1])))
  }
  return Buffer.concat(out).toString()
}

describe("the image stream", () => {
  test("forwards drafts unchanged and withholds the final image, for any split of the bytes", () => {
    const cut = fc.array(fc.nat(TEXT.length), { maxLength: 8 })
    fc.assert(
      fc.property(cut, (cuts) => {
        const reader = new ImageEventReader()
        expect(read(reader, TEXT, cuts)).toBe(FIRST_TEXT)
        expect([reader.drafts, reader.last]).toEqual([1, LAST])
        expect(reader.usage).toMatchObject({ inputFresh: 10, imageInput: 40, imageOutput: 50 })
      }),
    )
  })

  test("joins several data lines into one", () => {
    const reader = new ImageEventReader()
    const lines = JSON.stringify(DRAFT, null, 1).replaceAll("\n", "\ndata: ")
    expect(read(reader, event(DRAFT, lines))).toBe(FIRST_TEXT)
  })

  test("forwards unknown events", () => {
    const text = 'event: later\ndata: {"type":"later"}\n\n'
    expect(read(new ImageEventReader(), text)).toBe(text)
  })

  test("reports a failure after the preceding events", () => {
    const reader = new ImageEventReader()
    const failed = event({ type: "error" }, '{"type":"error","error":{"message":"no"}}')
    expect(() => read(reader, FIRST_TEXT + failed)).toThrow(
      expect.objectContaining({ kind: "upstream_error" }),
    )
    expect(reader.drafts).toBe(1)
  })

  test("returns the vendor's message for an invalid request", () => {
    const error = { type: "image_generation_user_error", code: "moderation_blocked", message: "no" }
    const text = event({ type: "error" }, JSON.stringify({ type: "error", error }))
    expect(() => read(new ImageEventReader(), text)).toThrow(
      expect.objectContaining({ kind: "rejected_by_upstream", message: "no" }),
    )
  })
})

function paidText(...args: Parameters<typeof paidEvent>): string {
  return [...paidEvent(...args)].join("")
}

test("the last event of an image stream contains the cost, with or without the vendor's token counts", () => {
  const paid = JSON.parse(paidText(LAST, "0.0042").split("data: ")[1] ?? "")
  expect(paid).toEqual({ ...LAST, usage: { ...LAST.usage, cost: 0.0042 } })
  const { usage: _usage, ...uncounted } = LAST
  expect(paidText(uncounted, "0.04")).toContain('"usage":{"cost":0.04}')
})
