import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { FittedWorld, FORMATS, type Format, type Outcome } from "./fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({
    "m/opus": ["anthropic", "claude-opus-4-6"],
    "m/sonnet": ["anthropic", "claude-sonnet-4-5"],
    "m/mistral": ["mistral", "mistral-large-latest"],
    "m/kimi": ["moonshot", "kimi-k2"],
    "m/sonar": ["perplexity", "sonar"],
    "m/deepseek": ["deepseek", "deepseek-chat"],
  })
})

afterAll(() => world[Symbol.asyncDispose]())

const ALL = FORMATS.flatMap((format) =>
  [false, true].map((stream): [Format, boolean] => [format, stream]),
)

type Turn = readonly [role: "user" | "assistant" | "result", text: string]

/** Sends a conversation in a format. If it has a result, the assistant calls the tool `f` before it. */
function send(
  format: Format,
  model: string,
  turns: readonly Turn[],
  stream: boolean,
): Promise<Outcome> {
  switch (format) {
    case "chat":
      return world.post("/v1/chat/completions", {
        model,
        stream,
        messages: turns.flatMap(([role, text]): object[] =>
          role === "result"
            ? [
                {
                  role: "assistant",
                  content: null,
                  tool_calls: [
                    { id: "abcdefghi", type: "function", function: { name: "f", arguments: "{}" } },
                  ],
                },
                { role: "tool", tool_call_id: "abcdefghi", content: text },
              ]
            : [{ role, content: text }],
        ),
      })
    case "messages":
      return world.post("/v1/messages", {
        model,
        stream,
        max_tokens: 50,
        messages: turns.flatMap(([role, text]): object[] =>
          role === "result"
            ? [
                {
                  role: "assistant",
                  content: [{ type: "tool_use", id: "abcdefghi", name: "f", input: {} }],
                },
                {
                  role: "user",
                  content: [{ type: "tool_result", tool_use_id: "abcdefghi", content: text }],
                },
              ]
            : [{ role, content: text }],
        ),
      })
    case "responses":
      return world.post("/v1/responses", {
        model,
        stream,
        input: turns.flatMap(([role, text]): object[] =>
          role === "result"
            ? [
                { type: "function_call", call_id: "abcdefghi", name: "f", arguments: "{}" },
                { type: "function_call_output", call_id: "abcdefghi", output: text },
              ]
            : [{ role, content: text }],
        ),
      })
    case "gemini": {
      const call = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      return world.post(`/v1beta/models/${model}:${call}`, {
        contents: turns.flatMap(([role, text]): object[] =>
          role === "result"
            ? [
                { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
                {
                  role: "user",
                  parts: [{ functionResponse: { name: "f", response: { output: text } } }],
                },
              ]
            : [{ role: role === "user" ? "user" : "model", parts: [{ text }] }],
        ),
      })
    }
  }
}

const rolesIn = ({ sent }: Outcome): unknown[] =>
  (sent.body.messages as JsonObject[]).map(({ role }) => role)
const lastIn = ({ sent }: Outcome): JsonObject | undefined =>
  (sent.body.messages as JsonObject[]).at(-1)

describe.each(ALL)("turns of a request at %s, streamed: %p", (format, stream) => {
  const unfinished: Turn[] = [
    ["user", "Hi"],
    ["assistant", "Half an"],
  ]

  test("get a final user turn for newer Claude models if they end with an assistant turn", async () => {
    const outcome = await send(format, "m/opus", unfinished, stream)
    const isMaker = format === "messages"
    expect(rolesIn(outcome)).toEqual(
      isMaker ? ["user", "assistant"] : ["user", "assistant", "user"],
    )
    expect(outcome.losses).toBe(isMaker ? "" : "messages:approximated")
    const older = await send(format, "m/sonnet", unfinished, stream)
    expect([rolesIn(older), older.losses]).toEqual([["user", "assistant"], ""])
  })

  test.each([
    ["m/mistral", "prefix"],
    ["m/kimi", "partial"],
  ])("have an unfinished final assistant turn marked for %s", async (model, field) => {
    const outcome = await send(format, model, unfinished, stream)
    expect(lastIn(outcome)).toMatchObject({ role: "assistant", [field]: true })
    expect(outcome.losses).toBe("")
  })

  test("get an assistant turn between a tool result and a user turn for Mistral", async () => {
    const turns: Turn[] = [
      ["user", "Hi"],
      ["result", "4"],
      ["user", "And then?"],
    ]
    const outcome = await send(format, "m/mistral", turns, stream)
    expect(rolesIn(outcome)).toEqual(["user", "assistant", "tool", "assistant", "user"])
    expect(outcome.losses).toBe("messages:approximated")
    const other = await send(format, "m/deepseek", turns, stream)
    if (format === "responses") return
    expect(rolesIn(other)).toEqual(["user", "assistant", "tool", "user"])
  })

  test("alternate between user and assistant, and end with the user, for Perplexity", async () => {
    const turns: Turn[] = [
      ["user", "Hi"],
      ["user", "there"],
      ["assistant", "Hello."],
    ]
    const outcome = await send(format, "m/sonar", turns, stream)
    expect(rolesIn(outcome)).toEqual(["user", "assistant", "user"])
    expect(outcome.losses).toBe("messages:approximated")
  })
})

test("the caller's own mark of an unfinished assistant turn is kept", async () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Half an", prefix: true },
  ]
  const body = { model: "m/mistral", messages }
  const { sent, losses } = await world.post("/v1/chat/completions", body)
  expect([sent.body.messages, losses]).toEqual([messages, ""])
})

test("an image in a tool result moves to the following user turn for Mistral", async () => {
  const image = { type: "image", source: { type: "url", url: "https://a.example/b.png" } }
  const outcome = await world.post("/v1/messages", {
    model: "m/mistral",
    max_tokens: 50,
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "abcdefghi", name: "f", input: {} }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "abcdefghi", content: [image] }],
      },
    ],
  })
  expect(rolesIn(outcome)).toEqual(["user", "assistant", "tool", "assistant", "user"])
  expect(lastIn(outcome)?.content).toMatchObject([{ type: "image_url" }])
})

test("instructions are moved to the start for Perplexity", async () => {
  const outcome = await world.post("/v1/chat/completions", {
    model: "m/sonar",
    messages: [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
    ],
  })
  expect(rolesIn(outcome)).toEqual(["system", "user"])
  expect(outcome.losses).toBe("system.position:approximated")
})
