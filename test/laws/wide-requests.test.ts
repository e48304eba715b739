import { expect, test } from "bun:test"
import type { ModelRules } from "tollgate-contract/model-rules.ts"
import type { ClientDialect } from "../../src/canon/dialect.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { isJsonObject, type JsonObject, parseExactly } from "../../src/canon/json.ts"
import { carriedRequest } from "../../src/relay/fitting/carried-request.ts"
import { fitToModel } from "../../src/relay/fitting/fit-to-model.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { processorTime } from "../support/processor-time.ts"
import { sampleCombinations } from "../support/exhaustive.ts"

/** Rules that activate every step that adapts a request. */
const WITHOUT_SCHEMAS: ModelRules = {
  reasoning_history: true,
  answer_formats: ["json_object"],
  schema_as_tool: true,
  max_tool_name_length: 64,
  tool_name_characters: ["-"],
  max_call_id_length: 40,
  turns_end_with_user: true,
  turns_alternate: true,
  turns_answer_results: true,
  instructions_first: true,
  max_images: 5,
  max_cache_marks: 4,
}
const WITH_SCHEMAS: ModelRules = {
  schema_root_object: true,
  schema_described_keywords: ["minLength"],
  schema_closed_objects: true,
  schema_recursion: false,
  strict_requires_all: true,
}

/** A number slightly below the limits of a request, which are 10,000 turns, parts, tools and members. */
const LARGE = 9_000
const SMALL = LARGE / 4
/**
 * Maximum ratio of the times if the size is four times as large. The ratio is 4 if the work is linear, and 16 if it is
 * quadratic.
 */
const MAX_GROWTH = 9
/** Minimum time in milliseconds. Shorter times are not compared. */
const MIN_COMPARED_MS = 50
const ATTEMPTS = 3

/** A request with a large number of one kind of element. */
interface Shape {
  readonly turns?: readonly ("user" | "assistant")[]
  readonly tools?: readonly Tool[]
  readonly allowed?: string[]
  /** The ids of calls to the first tool. Each call has a result. */
  readonly calls?: readonly string[]
  /** The schema of the response. */
  readonly schema?: JsonObject
}

interface Tool {
  readonly name: string
  readonly strict?: boolean
  readonly parameters?: JsonObject
}

function list<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function wideSchema(count: number): JsonObject {
  const properties = Object.fromEntries(list(count, (index) => [`p${index}`, { type: "string" }]))
  const others = list(count, (index) => `q${index}`)
  const required = [...others, ...Object.keys(properties)]
  return { type: "object", properties, required, additionalProperties: false }
}

/** Returns a schema that refers to each level of a deep definition with many leaves. */
function schemaWithReferences(count: number): JsonObject {
  const leaves = Object.fromEntries(list(count, (index) => [`l${index}`, { type: "string" }]))
  let definition: JsonObject = { type: "object", properties: leaves }
  let path = "#/$defs/d"
  const references = list(count / 100, () => {
    definition = { type: "object", properties: { x: definition } }
    const $ref = path
    path += "/properties/x"
    return { $ref }
  })
  return {
    type: "object",
    properties: { a: { anyOf: references } },
    $defs: { d: definition },
  }
}

const SHAPES: Readonly<Record<string, (count: number) => Shape>> = {
  "turns of one speaker": (count) => ({ turns: list(count, () => "user") }),
  "alternating turns": (count) => ({
    turns: list(count, (index) => (index % 2 === 0 ? "user" : "assistant")),
  }),
  tools: (count) => ({ tools: list(count, (index) => ({ name: `tool.${index}` })) }),
  "allowed tools": (count) => {
    const names = list(count, (index) => `tool_${index}`)
    return { tools: names.map((name) => ({ name })), allowed: names.toReversed() }
  },
  "tools with the name of the answer's tool": (count) => ({
    tools: list(count / 10, (index) => ({ name: `answer${"_".repeat(index)}` })),
    schema: { type: "object", properties: {} },
  }),
  "calls with results": (count) => ({
    tools: [{ name: "get.x" }],
    calls: list(count, (index) => `call_${index}`),
  }),
  "calls with the same id": (count) => ({
    turns: [],
    tools: [{ name: "get_x" }],
    calls: list(count, () => "call_1"),
  }),
  "a long name of a tool": (count) => ({ tools: [{ name: "!".repeat(count * 400) }] }),
  "a wide schema": (count) => ({ schema: wideSchema(count) }),
  "a wide schema of a strict tool": (count) => ({
    tools: [{ name: "t", strict: true, parameters: wideSchema(count) }],
  }),
  "a schema with references": (count) => ({ schema: schemaWithReferences(count) }),
  "a long integer": (count) => ({
    tools: [{ name: "t", parameters: { type: "object", default: `digits:${count * 50}` } }],
  }),
}

const OPEN: JsonObject = { type: "object", properties: {} }

const BODIES: Readonly<Partial<Record<DialectId, (shape: Shape) => JsonObject>>> = {
  "openai-chat": ({ turns = ["user"], tools, allowed, calls, schema }) => ({
    messages: [
      ...turns.map((role) => ({ role, content: "Hi" })),
      ...(calls === undefined
        ? []
        : [
            {
              role: "assistant",
              tool_calls: calls.map((id) => ({
                id,
                type: "function",
                function: { name: tools?.[0]?.name ?? "", arguments: "{}" },
              })),
            },
            ...calls.map((id) => ({ role: "tool", tool_call_id: id, content: "1" })),
          ]),
    ],
    ...(tools && {
      tools: tools.map((tool) => ({ type: "function", function: { parameters: OPEN, ...tool } })),
    }),
    ...(allowed && {
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "auto",
          tools: allowed.map((name) => ({ type: "function", function: { name } })),
        },
      },
    }),
    ...(schema && {
      response_format: { type: "json_schema", json_schema: { name: "r", strict: true, schema } },
    }),
  }),
  "openai-responses": ({ turns = ["user"], tools, allowed, calls, schema }) => ({
    input: [
      ...turns.map((role) => ({ role, content: "Hi" })),
      ...(calls ?? []).map((id) => ({
        type: "function_call",
        call_id: id,
        namespace: "n",
        name: tools?.[0]?.name ?? "",
        arguments: "{}",
      })),
      ...(calls ?? []).map((id) => ({ type: "function_call_output", call_id: id, output: "1" })),
    ],
    ...(tools && { tools: tools.map((tool) => ({ type: "function", parameters: OPEN, ...tool })) }),
    ...(allowed && {
      tool_choice: {
        type: "allowed_tools",
        mode: "auto",
        tools: allowed.map((name) => ({ type: "function", name })),
      },
    }),
    ...(schema && { text: { format: { type: "json_schema", name: "r", strict: true, schema } } }),
  }),
  "anthropic-messages": ({ turns = ["user"], tools, calls, schema }) => ({
    max_tokens: 10,
    messages: [
      ...turns.map((role) => ({ role, content: "Hi" })),
      ...(calls === undefined
        ? []
        : [
            {
              role: "assistant",
              content: calls.map((id) => ({
                type: "tool_use",
                id,
                name: tools?.[0]?.name ?? "",
                input: {},
              })),
            },
            {
              role: "user",
              content: calls.map((id) => ({
                type: "tool_result",
                tool_use_id: id,
                content: "1",
              })),
            },
          ]),
    ],
    ...(tools && {
      tools: tools.map(({ parameters = OPEN, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    ...(schema && { output_config: { format: { type: "json_schema", schema } } }),
  }),
  gemini: ({ turns = ["user"], tools, allowed, calls, schema }) => ({
    contents: [
      ...turns.map((role) => ({
        role: role === "user" ? role : "model",
        parts: [{ text: "Hi" }],
      })),
      ...(calls === undefined
        ? []
        : [
            {
              role: "model",
              parts: calls.map((id) => ({
                functionCall: { id, name: tools?.[0]?.name ?? "", args: {} },
              })),
            },
            {
              role: "user",
              parts: calls.toReversed().map((id) => ({
                functionResponse: { id, name: tools?.[0]?.name ?? "", response: {} },
              })),
            },
          ]),
    ],
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, parameters = OPEN }) => ({
            name,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    ...(allowed && {
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: allowed } },
    }),
    ...(schema && {
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema },
    }),
  }),
}

/** Returns the body of a request as a caller sends it. */
function textOf(client: ClientDialect, shape: Shape): string {
  const body = JSON.stringify({ model: "m", ...BODIES[client.id]?.(shape) })
  return body.replace(/"digits:(\d+)"/, (_, count: string) => "9".repeat(Number(count)))
}

/** Decodes a request, adapts it to a model, and encodes it for every provider. */
function translate(client: ClientDialect, text: string): void {
  const body = parseExactly(text)
  if (!isJsonObject(body)) throw new Error("The body is no object")
  try {
    const request = client.decodeRequest(body)
    for (const rules of [WITHOUT_SCHEMAS, WITH_SCHEMAS]) {
      for (const upstream of UPSTREAMS) {
        const carried = carriedRequest(request, { dialect: upstream }, client.id)
        const { request: fitted } = fitToModel({ ...carried }, rules)
        JSON.stringify(upstream.encodeRequest(fitted).body)
      }
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
  }
}

/** Rules that restrict the characters of names but not their length. */
const SHORT_OF_CHARACTERS: ModelRules = { tool_name_characters: ["-"] }
/**
 * Maximum time for adapting names, as a multiple of the time for parsing the request. Adapting takes up to 7 times as
 * long, or 16 times on a busy machine. If the work on a name were quadratic, it would take thousands of times as long.
 */
const MAX_COST = 100

/** If an operation took longer than its size explains, one caller could slow down all others. */
for (const [client, [name, shape]] of sampleCombinations(4, CLIENTS, Object.entries(SHAPES))) {
  test(`${client.id} translates ${name} in linear time`, () => {
    const small = textOf(client, shape(SMALL))
    const large = textOf(client, shape(LARGE))
    // The measurement is repeated, because a garbage collection can take longer than the work.
    let growth = Infinity
    for (let attempt = 0; attempt < ATTEMPTS && growth >= MAX_GROWTH; attempt++) {
      const time = processorTime(() => translate(client, large), Infinity)
      if (time < MIN_COMPARED_MS) return
      growth = time / processorTime(() => translate(client, small), Infinity)
    }
    expect(growth).toBeLessThan(MAX_GROWTH)
  })
}

test.each(CLIENTS)(
  "$id shortens long names of many tools about as quickly as it parses them",
  (client) => {
    const tools = list(LARGE / 3, (index) => ({ name: `${"é".repeat(1_300)}${index}` }))
    const text = textOf(client, { tools })
    const request = client.decodeRequest(JSON.parse(text) as JsonObject)
    let cost = Infinity
    for (let attempt = 0; attempt < ATTEMPTS && cost >= MAX_COST; attempt++) {
      const read = processorTime(() => void JSON.parse(text))
      const fitted = processorTime(() => void fitToModel({ ...request }, SHORT_OF_CHARACTERS))
      cost = fitted / read
    }
    expect(cost).toBeLessThan(MAX_COST)
  },
)
