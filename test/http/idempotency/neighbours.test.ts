import { expect, test } from "bun:test"
import { Neighbours } from "../../../src/http/idempotency/neighbours.ts"
import { TemporaryDirectory } from "../../store/test-database.ts"

const MEGABYTE = 2 ** 20

test("a process that shuts down completes the responses that it sends to other processes", async () => {
  using directory = new TemporaryDirectory()
  const data = directory.path
  // A body that is larger than a socket accepts at once.
  const body = "x".repeat(16 * MEGABYTE)
  const ending = new Neighbours({ data, node: "ending", respond: async () => new Response(body) })
  await using asking = new Neighbours({ data, node: "asking", respond: async () => undefined })
  ending.listen()
  const { signal } = new AbortController()
  const response = await asking.ask("ending", "req_1", signal)
  if (typeof response !== "object") throw new Error(response)
  const ended = ending[Symbol.asyncDispose]()
  expect((await response.response.text()).length).toBe(body.length)
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
  const ending = new Neighbours({
    data,
    node: "ending",
    respond: async () => new Response(endless),
  })
  await using asking = new Neighbours({ data, node: "asking", respond: async () => undefined })
  ending.listen()
  const response = await asking.ask("ending", "req_1", new AbortController().signal)
  if (typeof response !== "object") throw new Error(response)
  const read = response.response.text().catch(({ code }: { readonly code?: string }) => code)
  await ending[Symbol.asyncDispose]()
  expect(await read).toBe("ECONNRESET")
})
