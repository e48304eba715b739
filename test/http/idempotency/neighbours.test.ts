import { expect, test } from "bun:test"
import { Neighbours } from "../../../src/http/idempotency/neighbours.ts"
import { TemporaryDirectory } from "../../store/test-database.ts"

const MEGABYTE = 2 ** 20

test("a process that shuts down completes the responses that it sends to other processes", async () => {
  using directory = new TemporaryDirectory()
  const data = directory.path
  // A body that is larger than a socket accepts at once.
  const body = "x".repeat(16 * MEGABYTE)
  const ending = new Neighbours({ data, node: "ending", answer: async () => new Response(body) })
  await using asking = new Neighbours({ data, node: "asking", answer: async () => undefined })
  ending.listen()
  const { signal } = new AbortController()
  const answer = await asking.ask("ending", "req_1", signal)
  if (typeof answer !== "object") throw new Error(answer)
  const ended = ending[Symbol.asyncDispose]()
  expect((await answer.response.text()).length).toBe(body.length)
  await ended
  expect(await asking.ask("ending", "req_1", signal)).toBe("unreachable")
})

test("an endless response does not prevent a process from shutting down", async () => {
  using directory = new TemporaryDirectory()
  const data = directory.path
  const endless = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("Hel")),
    pull: () => new Promise(() => undefined),
  })
  const ending = new Neighbours({ data, node: "ending", answer: async () => new Response(endless) })
  await using asking = new Neighbours({ data, node: "asking", answer: async () => undefined })
  ending.listen()
  const answer = await asking.ask("ending", "req_1", new AbortController().signal)
  if (typeof answer !== "object") throw new Error(answer)
  const read = answer.response.text().catch(({ code }: { readonly code?: string }) => code)
  await ending[Symbol.asyncDispose]()
  expect(await read).toBe("ECONNRESET")
})
