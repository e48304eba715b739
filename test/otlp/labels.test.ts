import { expect, test } from "bun:test"
import { Collector } from "./collector.ts"
import { CHAT, chat, startTraced } from "./traced.ts"

const NAMES = ["user.id", "user.hash", "session.id", "gen_ai.conversation.id", "tollgate.tags"]
const HEADERS = {
  "x-tollgate-user": "user-1",
  "x-tollgate-session": "chat-9",
  "x-tollgate-tags": "feature=search, team=blue",
}

/** Returns the labels on the span of a request and on the span of its upstream call. */
async function labelsOf(
  headers: Record<string, string>,
  body: Record<string, unknown> = {},
  settings: Parameters<typeof startTraced>[1] = {},
): Promise<Record<string, unknown>[]> {
  using collector = new Collector()
  await using gateway = await startTraced(collector, settings)
  const caller = await gateway.caller("1")
  await (await caller.post(CHAT, chat("sim/echo", body), headers)).text()
  const spans = await collector.spansOf(2)
  return spans.map(({ attributes }) =>
    Object.fromEntries(
      NAMES.flatMap((name) => (name in attributes ? [[name, attributes[name]]] : [])),
    ),
  )
}

test("a span has the end user, the session and the tags of its request", async () => {
  expect(await labelsOf(HEADERS)).toEqual([
    {
      "user.id": "user-1",
      "session.id": "chat-9",
      "gen_ai.conversation.id": "chat-9",
      "tollgate.tags": ["feature=search", "team=blue"],
    },
    {},
  ])
})

test("a span has the end user that the request body names", async () => {
  const [request] = await labelsOf({}, { user: "alice" })
  expect(request).toEqual({ "user.id": "alice" })
})

test("a span has no email address", async () => {
  const [request] = await labelsOf({
    "x-tollgate-user": "ada@example.com",
    "x-tollgate-session": "ada@example.com-1",
    "x-tollgate-tags": "owner=ada@example.com, team=blue",
  })
  expect(JSON.stringify(request)).not.toContain("example.com")
  expect(request).toEqual({
    "user.hash": expect.stringMatching(/^[0-9a-f]{64}$/),
    "tollgate.tags": ["team=blue"],
  })
})

test("a span has no labels if the settings exclude them", async () => {
  const [request] = await labelsOf(HEADERS, {}, { namesCallers: false })
  expect(request).toEqual({})
})
