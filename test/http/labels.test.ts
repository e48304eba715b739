import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { type Labels, MAX_LABEL_LENGTH, MAX_TAGS } from "../../src/accounting/labels.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { labelsOf } from "../../src/http/v1/labels.ts"

function read(headers: Record<string, string>, body?: JsonObject): Labels | undefined {
  return labelsOf(new Headers(headers), body)
}

test("a request without labels has no end user, session or tags", () => {
  expect(read({})).toBeUndefined()
  expect(read({ "x-tollgate-tags": " , ", "x-tollgate-user": "" }, { user: "" })).toBeUndefined()
  expect(read({}, { user: 5, metadata: [], labels: "x" })).toBeUndefined()
})

test("labels in the gateway's headers take precedence over the body", () => {
  const body = { user: "body", metadata: { team: "red", feature: "chat" } }
  expect(read({}, body)).toEqual({ user: "body", tags: { team: "red", feature: "chat" } })
  const headers = {
    "x-tollgate-user": "header",
    "x-tollgate-session": "run 7",
    "x-tollgate-tags": "team=blue, cost centre=1 ,stage = live",
  }
  expect(() => read(headers, body)).toThrow("'x-tollgate-tags' is a list such as")
  headers["x-tollgate-tags"] = "team=blue, stage = live"
  expect(read(headers, body)).toEqual({
    user: "header",
    session: "run 7",
    tags: { team: "blue", stage: "live", feature: "chat" },
  })
})

test.each([
  [{ "x-claude-code-session-id": "one" }, "one"],
  [{ "session-id": "two" }, "two"],
  [{ session_id: "three" }, "three"],
  [{ "x-opencode-session": "four", "x-session-id": "five" }, "four"],
  [{ "x-claude-code-session-id": " ", "x-session-id": "five" }, "five"],
  [{ "session-id": "a\u0080b", "x-session-id": "five" }, "five"],
])("the session of a coding agent comes from the agent's own header: %p", (headers, session) => {
  expect(read(headers)).toEqual({ session })
})

test("Claude Code's user id is split into a user and a session", () => {
  const hash = "a".repeat(64)
  const id = "0b6c2c3e-1111-4222-8333-944455556666"
  const joined = `user_${hash}_account_${id}_session_${id}`
  expect(read({}, { metadata: { user_id: joined } })).toEqual({ user: `user_${hash}`, session: id })
  const json = JSON.stringify({ device_id: hash, account_uuid: "", session_id: id })
  expect(read({}, { metadata: { user_id: json } })).toEqual({ user: hash, session: id })
  expect(read({ "x-claude-code-session-id": "s" }, { metadata: { user_id: json } })?.session).toBe(
    "s",
  )
  expect(read({}, { metadata: { user_id: "{broken" } })).toEqual({ user: "{broken" })
})

test("Google's labels become tags, and a safety identifier becomes the end user", () => {
  expect(read({}, { labels: { team: "x" } })).toEqual({ tags: { team: "x" } })
  expect(read({}, { safety_identifier: "someone" })).toEqual({ user: "someone" })
})

test.each([
  ["x-tollgate-tags", "word"],
  ["x-tollgate-tags", "=value"],
  ["x-tollgate-tags", "name="],
  ["x-tollgate-tags", `${"n".repeat(65)}=v`],
  ["x-tollgate-tags", `n=${"v".repeat(129)}`],
  ["x-tollgate-tags", Array.from({ length: MAX_TAGS + 1 }, (_, n) => `t${n}=v`).join(",")],
  ["x-tollgate-user", "u".repeat(129)],
])("an invalid label header is rejected by name: %s: %s", (name, value) => {
  expect(() => read({ [name]: value })).toThrow(`'${name}'`)
})

test("labels from any body are shortened and can be stored in every database", () => {
  const text = fc.string({ unit: "binary", maxLength: 300 })
  fc.assert(
    fc.property(
      fc.record({
        user: fc.oneof(text, fc.jsonValue()),
        metadata: fc.oneof(fc.dictionary(text, text), fc.jsonValue()),
        labels: fc.dictionary(text, fc.jsonValue()),
      }),
      (body) => {
        const labels = read({}, body as JsonObject)
        const tags = Object.entries(labels?.tags ?? {})
        expect(tags.length).toBeLessThanOrEqual(MAX_TAGS)
        for (const part of [labels?.user ?? "x", labels?.session ?? "x", ...tags.flat()]) {
          expect(part.length).toBeWithin(1, MAX_LABEL_LENGTH + 1)
          expect(part).not.toMatch(/\p{Cc}/u)
          expect(part.isWellFormed()).toBe(true)
        }
        for (const [name] of tags) expect(name).not.toContain("=")
      },
    ),
  )
})
