import { expect, test } from "bun:test"
import { readJsonBody } from "../../src/http/read-body.ts"

const PIECE = 64 * 1024

/** A body that comes in pieces, and the pieces. */
function inPieces(contents: readonly string[]) {
  const pieces = contents.map((text) => new Uint8Array(Buffer.from(text.padEnd(PIECE))))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const headers = { "content-type": "application/json" }
  return { pieces, request: new Request("http://x", { method: "POST", headers, body }) }
}

test.each([
  ["too large", ["{", "", "", ""], "body_too_large"],
  ["too deep", ["{", '"a":', "[".repeat(100)], "invalid_json"],
  ["no JSON", ["{", "nothing"], "invalid_json"],
])("the memory of a body that is %s is given back at once", async (_, contents, kind) => {
  const { pieces, request } = inPieces(contents)
  const refusal = await readJsonBody(request, 3 * PIECE).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ kind })
  expect(pieces.map((piece) => piece.byteLength)).toEqual(pieces.map(() => 0))
})
