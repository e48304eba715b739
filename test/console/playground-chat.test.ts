import { describe, expect, test } from "bun:test"
import {
  NOTHING_YET,
  withEvent,
  type AnswerContent,
} from "../../console/src/pages/playground/answer.ts"
import {
  chatBody,
  DEFAULT_SETTINGS,
  extraFault,
  type Question,
} from "../../console/src/pages/playground/conversation.ts"
import {
  newAnswer,
  turnsBefore,
  withAnswer,
  type Exchange,
} from "../../console/src/pages/playground/exchanges.ts"
import { FrameReader } from "../../console/src/pages/playground/frames.ts"
import { readChat } from "../../console/src/pages/playground/gateway-call.ts"
import { PlaygroundKeys } from "../../console/src/pages/playground/playground-key.ts"

const HELLO: Question = { text: "Hello", images: [] }

describe("the body of a chat", () => {
  test("says only what is set, and always asks for the usage", () => {
    expect(chatBody("a/b", DEFAULT_SETTINGS, [], HELLO)).toEqual({
      model: "a/b",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test("carries system prompt, past, images and every setting", () => {
    const settings = {
      system: "Be brief.",
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      effort: "low",
      stop: ["END"],
      extra: '{"seed": 7, "model": "not/this"}',
    }
    const image = { name: "a.png", url: "data:image/png;base64,AA==" }
    const turns = [
      { question: HELLO, answer: "Hi" },
      { question: { text: "lost", images: [] }, answer: "" },
    ]
    const body = chatBody("a/b", settings, turns, { text: "What is it?", images: [image] })
    expect(body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: image.url } },
          { type: "text", text: "What is it?" },
        ],
      },
    ])
    expect(body).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      reasoning_effort: "low",
      stop: ["END"],
      seed: 7,
      stream: true,
    })
  })

  test("names what is wrong with the further fields", () => {
    expect(extraFault("")).toBeUndefined()
    expect(extraFault('{"a":1}')).toBeUndefined()
    expect(extraFault("{")).toContain("not valid JSON")
    expect(extraFault("[1]")).toContain("object")
  })
})

describe("the frames of a stream", () => {
  const stream = 'data: {"a":1}\r\n\r\n: comment\n\ndata: one\ndata: two\n\ndata:[DONE]\n\n'
  const whole = ['{"a":1}', "one\ntwo", "[DONE]"]

  test("are the same wherever the stream is cut", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const frames = new FrameReader()
      const read = [...frames.push(stream.slice(0, cut)), ...frames.push(stream.slice(cut))]
      expect(read).toEqual(whole)
    }
  })
})

function fold(...events: unknown[]): AnswerContent {
  return events.reduce<AnswerContent>(
    (answer, event) => withEvent(answer, typeof event === "string" ? event : JSON.stringify(event)),
    NOTHING_YET,
  )
}

describe("an answer", () => {
  test("gathers text, reasoning and tool calls", () => {
    const answer = fold(
      { choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { reasoning_content: "Hm. " } }] },
      { choices: [{ delta: { content: "He" } }] },
      { choices: [{ delta: { content: "llo" } }] },
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, function: { name: "look", arguments: "" } }] } },
        ],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: "1}" } }] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      "[DONE]",
    )
    expect(answer).toMatchObject({
      text: "Hello",
      reasoning: "Hm. ",
      toolCalls: [{ name: "look", arguments: '{"a":1}' }],
      finish: "tool_calls",
      isComplete: true,
    })
  })

  test("keeps the cost exactly as it is written", () => {
    const event = `{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":210,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":204},"cost":0.00000004}}`
    const answer = fold(event)
    expect(answer.cost).toBe("0.00000004")
    expect(answer.tokens).toEqual({ input: 12, output: 210, reasoning: 204, cached: 3 })
  })

  test("is a failure when the stream says so", () => {
    const error = { message: "It broke.", error_type: "upstream_error", param: null }
    expect(fold({ error }).failure).toMatchObject({ kind: "upstream_error", message: "It broke." })
  })

  test("takes no harm from what is no chunk", () => {
    expect(fold("not json", "null", "7")).toEqual(NOTHING_YET)
  })

  test("that ends without saying so has broken off, and keeps what came", async () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"Half"}}]}\n\n'
    const answer = await readChat(new Response(chunk), () => {})
    expect(answer.text).toBe("Half")
    expect(answer.failure?.kind).toBe("broken_off")
    const whole = await readChat(new Response(`${chunk}data: [DONE]\n\n`), () => {})
    expect(whole.failure).toBeNull()
  })
})

describe("exchanges", () => {
  const exchanges: Exchange[] = [
    { id: 1, question: HELLO, answers: [{ ...newAnswer("a/b", {}, 0), text: "Hi" }, null] },
    { id: 2, question: HELLO, answers: [] },
  ]

  test("tell each column its own past", () => {
    expect(turnsBefore(exchanges, 2, 0)).toEqual([{ question: HELLO, answer: "Hi" }])
    expect(turnsBefore(exchanges, 2, 1)).toEqual([])
    expect(turnsBefore(exchanges, 1, 0)).toEqual([])
  })

  test("change in one place only", () => {
    const changed = withAnswer(exchanges, { id: 2, column: 1 }, () => newAnswer("c/d", {}, 0))
    expect(changed[0]).toBe(exchanges[0] as Exchange)
    expect(changed[1]?.answers.map((answer) => answer?.model)).toEqual([undefined, "c/d"])
  })
})

describe("the session's keys", () => {
  test("one for an account, shared by calls at once, made again before it ends", async () => {
    let now = 0
    const made: string[] = []
    const keys = new PlaygroundKeys(
      async (account, expiresAt) => {
        made.push(`${account} ${expiresAt}`)
        return `secret ${made.length}`
      },
      () => now,
    )
    expect(await Promise.all([keys.secretFor("a"), keys.secretFor("a")])).toEqual([
      "secret 1",
      "secret 1",
    ])
    expect(await keys.secretFor("b")).toBe("secret 2")
    now = 56 * 60 * 1_000
    expect(await keys.secretFor("a")).toBe("secret 3")
    keys.forget("a")
    expect(await keys.secretFor("a")).toBe("secret 4")
    expect(made[0]).toBe("a 3600000")
  })

  test("a key that could not be made is tried again", async () => {
    let isDown = true
    const keys = new PlaygroundKeys(async () => {
      if (isDown) throw new Error("down")
      return "secret"
    })
    await expect(keys.secretFor("a")).rejects.toThrow("down")
    isDown = false
    expect(await keys.secretFor("a")).toBe("secret")
  })
})

test("a key is new for a few seconds, while it becomes known", async () => {
  let now = 1_000_000
  const keys = new PlaygroundKeys(
    async () => "secret",
    () => now,
  )
  expect(await keys.isNew("a")).toBe(false)
  await keys.secretFor("a")
  expect(await keys.isNew("a")).toBe(true)
  now += 5_000
  expect(await keys.isNew("a")).toBe(false)
})
