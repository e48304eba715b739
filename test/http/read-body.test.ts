import { expect, test } from "bun:test"
import { readJsonBody } from "../../src/http/read-body.ts"

const CHUNK = 64 * 1024

/** Returns a request whose body arrives in several chunks. */
function inChunks(contents: readonly string[]) {
  const chunks = contents.map((text) => new Uint8Array(Buffer.from(text.padEnd(CHUNK))))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const headers = { "content-type": "application/json" }
  return { chunks, request: new Request("http://x", { method: "POST", headers, body }) }
}

test.each([
  ["too large", ["{", "", "", ""], "body_too_large"],
  ["too deep", ["{", '"a":', "[".repeat(100)], "invalid_json"],
  ["invalid JSON", ["{", "nothing"], "invalid_json"],
])("a body that is %s releases its memory immediately", async (_, contents, kind) => {
  const { chunks, request } = inChunks(contents)
  const rejection = await readJsonBody(request, { limit: 3 * CHUNK }).catch(
    (error: unknown) => error,
  )
  expect(rejection).toMatchObject({ kind })
  expect(chunks.map((chunk) => chunk.byteLength)).toEqual(chunks.map(() => 0))
})
