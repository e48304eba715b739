import { expect, test } from "bun:test"
import type { JsonValue } from "../../../src/canon/json.ts"
import { findState } from "../../../src/canon/vendor-state.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"

const HI = { type: "input_text", text: "Hi" }
const IMAGE = { type: "input_image", image_url: "data:image/png;base64,AAAA" }
const SAID = { role: "assistant", content: "So?" }

const CASES: readonly [name: string, input: JsonValue[], items: JsonValue[]][] = [
  ["content objects", [HI, IMAGE], [{ type: "message", role: "user", content: [HI, IMAGE] }]],
  ["plain strings", ["Hi"], [{ type: "message", role: "user", content: [HI] }]],
  [
    "content by its short name",
    [{ type: "text", text: "Hi" }],
    [{ type: "message", role: "user", content: [HI] }],
  ],
  [
    "content between items",
    [HI, SAID, "Hi"],
    [
      { type: "message", role: "user", content: [HI] },
      SAID,
      { type: "message", role: "user", content: [HI] },
    ],
  ],
]

for (const [name, input, items] of CASES) {
  test(`the Responses decoder reads ${name} as user messages`, () => {
    const told = OPENAI_RESPONSES.decodeRequest({ model: "m", input })
    const written = OPENAI_RESPONSES.decodeRequest({ model: "m", input: items })
    expect(told).toEqual(written)
  })

  test(`the Responses patcher sends ${name} as input items`, () => {
    const body = { model: "m", input }
    const patched = OPENAI_RESPONSES.patches.request(body, { model: "up" })
    expect(patched).toEqual({ body: { model: "up", input: items }, losses: [] })
    expect(body.input).toBe(input)
  })
}

test("the Responses format finds a stored file outside of a message", () => {
  const input = [{ type: "input_file", file_id: "file_1" }]
  const found = findState(OPENAI_RESPONSES.requestState ?? {}, { model: "m", input })
  expect(found.map(({ id }) => id)).toEqual(["file_1"])
})

test("the Responses patcher sends an input of items unchanged", () => {
  const input = [SAID]
  const { body } = OPENAI_RESPONSES.patches.request({ model: "m", input }, { model: "up" })
  expect(body.input).toBe(input)
})

test("the Responses patcher removes a message id that occurs in an earlier item", () => {
  const { patches } = OPENAI_RESPONSES
  const said = (id: string, text: string) => ({
    type: "message",
    id,
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  })
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" }
  const input = [said("msg_1", "Thought"), said("msg_1", "Hi"), call, said("msg_2", "Bye")]
  const { body, losses } = patches.request({ model: "m", input }, { model: "m" })
  const { id: _, ...second } = said("msg_1", "Hi")
  expect(body.input).toEqual([said("msg_1", "Thought"), second, call, said("msg_2", "Bye")])
  expect(losses).toEqual([])
  const distinct = [said("msg_1", "Hi"), call]
  expect(patches.request({ model: "m", input: distinct }, { model: "m" }).body.input).toBe(distinct)
})
