import { expect, test } from "bun:test"
import { listedItem } from "../../../src/dialects/openai-responses/state.ts"

test("the Responses format lists the input of a response as items with a type and an id", () => {
  const image = { type: "input_image", image_url: "https://example.com/a.png" }
  const own = {
    type: "message",
    id: "msg_own",
    role: "user",
    content: [image],
    status: "incomplete",
  }
  const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" }
  const items = [
    "Hi",
    image,
    own,
    { role: "assistant", content: "Hello" },
    { role: "user" },
    call,
    { type: "reasoning", id: "rs_own", summary: [] },
    { type: "item_reference" },
  ].map((item, index) => listedItem(item, () => `mark${index}`))
  const message = { type: "message", status: "completed" }
  const text = (type: string, words: string) => [{ type, text: words }]
  expect(items).toEqual([
    { ...message, id: "msg_mark0", role: "user", content: text("input_text", "Hi") },
    { ...message, id: "msg_mark1", role: "user", content: [image] },
    own,
    { ...message, id: "msg_mark3", role: "assistant", content: text("output_text", "Hello") },
    { ...message, id: "msg_mark4", role: "user", content: [] },
    { ...call, id: "fc_mark5" },
    { type: "reasoning", id: "rs_own", summary: [] },
    { type: "item_reference", id: "item_mark7" },
  ])
})
