import { describe, expect, test } from "bun:test"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { assistant, call, contentOf, result, system, text, tool, user } from "./conversation.ts"
import { bodyOf, CLAUDE, lossesOf, NOVA } from "./fixtures.ts"

describe("the Bedrock turn encoder", () => {
  test("omits the model from the body", () => {
    expect(bodyOf()).toEqual({ messages: [{ role: "user", content: [{ text: "Hello" }] }] })
  })

  test("joins successive messages of one role into one turn", () => {
    const messages = [
      user(text("a")),
      user(text("b")),
      assistant(text("c")),
      assistant(text("d")),
      user(text("e")),
    ]
    expect(bodyOf({ messages }).messages).toEqual([
      { role: "user", content: [{ text: "a" }, { text: "b" }] },
      { role: "assistant", content: [{ text: "c" }, { text: "d" }] },
      { role: "user", content: [{ text: "e" }] },
    ])
  })

  test("puts the results of all calls before the text of the next turn", () => {
    const messages = [
      user(text("go")),
      assistant(call("1"), call("2", "see", '{"at":1}')),
      tool(result("1", "one")),
      user(text("and now?")),
      tool(result("2", "two")),
    ]
    expect(bodyOf({ messages, tools: [{ name: "look" }, { name: "see" }] }).messages).toEqual([
      { role: "user", content: [{ text: "go" }] },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: "1", name: "look", input: {} } },
          { toolUse: { toolUseId: "2", name: "see", input: { at: 1 } } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "1", content: [{ text: "one" }] } },
          { toolResult: { toolUseId: "2", content: [{ text: "two" }] } },
          { text: "and now?" },
        ],
      },
    ])
  })

  test("adds a user turn before a conversation that starts with the assistant", () => {
    const messages = [assistant(text("Hi, I am here")), user(text("Good"))]
    const sent = bodyOf({ messages }).messages as JsonObject[]
    expect(sent[0]).toEqual({ role: "user", content: [{ text: "." }] })
    expect(sent).toHaveLength(3)
    expect(lossesOf({ messages })).toEqual(["messages:approximated"])
  })

  test("replaces an empty last question with a period, so that the model does not continue its response", () => {
    const messages = [user(text("Hello")), assistant(text("Hi")), user(text(""))]
    expect(bodyOf({ messages }).messages).toEqual([
      { role: "user", content: [{ text: "Hello" }] },
      { role: "assistant", content: [{ text: "Hi" }] },
      { role: "user", content: [{ text: "." }] },
    ])
    expect(lossesOf({ messages })).toEqual(["messages:approximated"])
    const continued = [user(text("Hello")), user(text("")), assistant(text("Hi"))]
    expect(lossesOf({ messages: continued })).toEqual([])
  })

  test("adds a user turn if there are only instructions", () => {
    const messages = [system(text("Tell a joke"))]
    expect(bodyOf({ messages })).toMatchObject({
      system: [{ text: "Tell a joke" }],
      messages: [{ role: "user", content: [{ text: "." }] }],
    })
  })

  test("drops empty text and messages with only empty text", () => {
    const messages = [user(text("a"), text(" \n")), assistant(text("")), user(text("b"))]
    expect(bodyOf({ messages }).messages).toEqual([
      { role: "user", content: [{ text: "a" }, { text: "b" }] },
    ])
    expect(lossesOf({ messages })).toEqual([])
  })
})

describe("the Bedrock instruction encoder", () => {
  test("moves system and developer messages into the system field", () => {
    const messages: Message[] = [
      system(text("Be brief"), text("")),
      { role: "developer", parts: [text("Be kind")] },
      user(text("Hello")),
    ]
    expect(bodyOf({ messages }).system).toEqual([{ text: "Be brief" }, { text: "Be kind" }])
    expect(lossesOf({ messages })).toEqual([])
  })

  test("reports a loss when it moves instructions out of the conversation", () => {
    const messages = [user(text("Hello")), system(text("Be brief"))]
    expect(bodyOf({ messages }).system).toEqual([{ text: "Be brief" }])
    expect(lossesOf({ messages })).toEqual(["system.position:approximated"])
  })
})

describe("the Bedrock encoder of calls and results", () => {
  test("replaces an invalid id with the same valid id in the call and the result", () => {
    const id = `functions.look:1-${"x".repeat(80)}`
    const messages = [user(text("go")), assistant(call(id, "look")), tool(result(id, "ok"))]
    const body = bodyOf({ messages, tools: [{ name: "look" }] }) as {
      messages: { content: { toolUse: JsonObject; toolResult: JsonObject }[] }[]
    }
    const { toolUseId } = body.messages[1]!.content[0]!.toolUse
    expect(toolUseId).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(body.messages[2]!.content[0]!.toolResult.toolUseId).toBe(toolUseId!)
  })

  test("keeps arguments that are not a JSON object as text", () => {
    const messages = [user(text("go")), assistant(call("1", "look", '{"broken')), user(text("?"))]
    const tools = [{ name: "look" }]
    const sent = bodyOf({ messages, tools }).messages as { content: JsonObject[] }[]
    expect(sent[1]!.content[0]).toMatchObject({ toolUse: { input: { arguments: '{"broken' } } })
    expect(lossesOf({ messages, tools })).toEqual(["tool_call.arguments:approximated"])
  })

  test("encodes empty arguments as an empty object", () => {
    expect(contentOf(user(text("go")), assistant(call("1", "look", "")))).toMatchObject([
      { toolUse: { input: {} } },
    ])
  })

  test("marks a failed tool result if the model supports the mark", () => {
    const messages = [
      user(text("go")),
      assistant(call("1")),
      tool(result("1", "no", { failed: true })),
    ]
    const tools = [{ name: "look" }]
    const sent = (model: string) => {
      const { messages: turns } = bodyOf({ model, messages, tools }) as {
        messages: { content: { toolResult: JsonObject }[] }[]
      }
      return turns[2]!.content[0]!.toolResult
    }
    expect(sent(CLAUDE).status).toBe("error")
    expect(sent(NOVA).status).toBe("error")
    expect(sent("meta.llama3-3-70b-instruct-v1:0").status).toBeUndefined()
    expect(lossesOf({ model: "meta.llama3-3-70b-instruct-v1:0", messages, tools })).toEqual([
      "tool_result.failed:dropped",
    ])
  })

  test("keeps images and files of a tool result, and keeps an empty result", () => {
    const shown: Part = {
      type: "tool-result",
      id: "1",
      content: [
        { type: "text", text: "" },
        { type: "image", source: { type: "base64", data: "iVBORw0K" } },
        {
          type: "file",
          name: "a.txt",
          source: { type: "base64", data: "QQ==", mediaType: "text/plain" },
        },
        { type: "audio", source: { type: "base64", data: "QQ==" }, format: "wav" },
      ],
    }
    const messages = [user(text("go")), assistant(call("1")), tool(shown)]
    expect(contentOf(...messages)).toEqual([
      {
        toolResult: {
          toolUseId: "1",
          content: [
            { text: "" },
            { image: { format: "png", source: { bytes: "iVBORw0K" } } },
            { document: { format: "txt", name: "a", source: { bytes: "QQ==" } } },
          ],
        },
      },
    ])
    expect(lossesOf({ messages, tools: [{ name: "look" }] })).toEqual(["tool_result.media:dropped"])
  })
})

describe("the Bedrock encoder of earlier reasoning", () => {
  test("sends reasoning with Bedrock's signature back to Bedrock", () => {
    const messages = [
      user(text("a")),
      assistant(
        { type: "reasoning", text: "Hm", signature: "s", signedBy: "bedrock-converse" },
        {
          type: "reasoning",
          text: "",
          signature: "AAAA",
          signedBy: "bedrock-converse",
          isRedacted: true,
        },
        text("b"),
      ),
    ]
    expect(contentOf(...messages)).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm", signature: "s" } } },
      { reasoningContent: { redactedContent: "AAAA" } },
      { text: "b" },
    ])
    expect(lossesOf({ messages })).toEqual([])
  })

  test("drops reasoning without Bedrock's signature", () => {
    const signed = [
      user(text("a")),
      assistant(
        { type: "reasoning", text: "", signature: "s", signedBy: "anthropic-messages" },
        text("b"),
      ),
    ]
    expect(contentOf(...signed)).toEqual([{ text: "b" }])
    expect(lossesOf({ messages: signed })).toEqual(["reasoning.signature:dropped"])
    const unsigned = [user(text("a")), assistant({ type: "reasoning", text: "Hm" }, text("b"))]
    expect(contentOf(...unsigned)).toEqual([{ text: "b" }])
    expect(lossesOf({ messages: unsigned })).toEqual(["reasoning:dropped"])
  })

  test("drops reasoning at the end of a turn", () => {
    const signed: Part = {
      type: "reasoning",
      text: "Hm",
      signature: "s",
      signedBy: "bedrock-converse",
    }
    const messages = [user(text("a")), assistant(signed), user(text("b"))]
    expect(bodyOf({ messages }).messages).toEqual([
      { role: "user", content: [{ text: "a" }] },
      { role: "assistant", content: [{ text: "." }] },
      { role: "user", content: [{ text: "b" }] },
    ])
    expect(lossesOf({ messages })).toEqual(["reasoning.signature:dropped", "messages:approximated"])
  })
})

describe("the Bedrock encoder of unsupported content", () => {
  test("drops the names of message authors, and converts refusals to text", () => {
    const messages: Message[] = [
      { role: "user", name: "Ann", parts: [text("a")] },
      assistant({ type: "refusal", text: "I will not" }),
    ]
    expect(contentOf(...messages)).toEqual([{ text: "I will not" }])
    expect(lossesOf({ messages })).toEqual(["name:dropped", "refusal:approximated"])
  })

  test("reports other dialects' fields as lost in messages and parts, and keeps Bedrock's fields", () => {
    const foreign = (name: string) => ({
      extra: { dialect: "openai-chat" as const, fields: { [name]: 1 } },
    })
    const messages: Message[] = [
      { ...user(text("a", foreign("x_text"))), ...foreign("x_message") },
      user({ type: "unknown", ...foreign("x_part") }),
      user({
        type: "unknown",
        extra: { dialect: "bedrock-converse", fields: { guardContent: { text: { text: "b" } } } },
      }),
    ]
    expect(contentOf(...messages)).toEqual([
      { text: "a" },
      { guardContent: { text: { text: "b" } } },
    ])
    const more = { ...foreign("x_request"), tools: [{ name: "look", ...foreign("x_tool") }] }
    expect(lossesOf({ messages, ...more })).toEqual([
      "x_message:dropped",
      "x_text:dropped",
      "x_part:dropped",
      "x_tool:dropped",
      "x_request:dropped",
    ])
  })
})
