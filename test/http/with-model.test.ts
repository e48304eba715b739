import { expect, test } from "bun:test"
import { withModel } from "../../src/http/with-model.ts"

const BODIES = ["{}", " \n{ }\n", '{"a":"}"}', '\t{ "model" : "own" }', "[]", "", "{", '"{"']

test.each(BODIES)(
  "the model is inserted at the start of a body for any split into chunks: %p",
  async (text) => {
    for (const size of [1, 2, 100]) {
      const bytes = new Uint8Array(Buffer.from(text))
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) {
            controller.enqueue(bytes.slice(at, at + size))
          }
          controller.close()
        },
      })
      const request = new Request("http://x/", { method: "POST", body })
      const result = await withModel(request, "http://x/y", "a/b").text()
      const plain = valueOf(text)
      const isObject = typeof plain === "object" && !Array.isArray(plain)
      expect(valueOf(result)).toEqual(isObject ? { model: "a/b", ...plain } : plain)
    }
  },
)

/** Returns the parsed value; undefined for text that is not JSON. */
function valueOf(text: string): object | string | undefined {
  try {
    return JSON.parse(text) as object | string
  } catch {
    return undefined
  }
}
