import type { Fault } from "./faults.ts"
import type { Handler, WireFormat } from "./format.ts"
import { arrayOf, isObject, type Json, type JsonObject, objectOf, stringOf } from "./json.ts"
import { answerJson, type Answered, reportedCount, unknownField } from "./json-operation.ts"
import { OPENAI } from "./manners.ts"
import { countTokens } from "./tokens.ts"

/** Words that the simulator classifies as harmful, by category. */
const HARMFUL = {
  harassment: /\b(idiot|stupid)\b/i,
  "self-harm": /\bhurt myself\b/i,
  violence: /\b(kill|attack)\b/i,
} as const

/** The format of one vendor (docs/contribute/wire/moderation.md#f1). */
interface Form {
  readonly takesImages: boolean
  readonly hasFlags: boolean
  readonly reportsUsage: boolean
}

/** Returns the format of a model's vendor. The simulator's own models use OpenAI's format, and report usage. */
function formOf(model: string): Form {
  if (model.startsWith("mistral-moderation")) {
    return { takesImages: false, hasFlags: false, reportsUsage: true }
  }
  return { takesImages: true, hasFlags: true, reportsUsage: !/^(omni|text)-moderation/.test(model) }
}

/** Functions that read the inputs of a request, by path. */
const INPUTS_OF: ReadonlyMap<string, (input: Json | undefined) => Input[]> = new Map([
  ["/v1/moderations", plainInputs],
  ["/v1/chat/moderations", chatInputs],
])

/** Simulates `POST /v1/moderations` of OpenAI and Mistral, and Mistral's `POST /v1/chat/moderations`. */
export const moderation: WireFormat = {
  name: "moderation",
  match(method, path): Handler | undefined {
    const inputsOf = method === "POST" ? INPUTS_OF.get(path) : undefined
    if (inputsOf === undefined) return undefined
    return (exchange) =>
      answerJson(exchange, () => ({
        manner: OPENAI,
        respond: (body, fault) => respond(body, inputsOf(body.input), fault),
      }))
  },
}

/** The parts of one input. */
type Input = readonly JsonObject[]

function respond(body: JsonObject, inputs: readonly Input[], fault: Fault | undefined): Answered {
  const model = stringOf(body.model)
  const form = formOf(model)
  const unknown = unknownField(body, ["model", "input"])
  if (unknown !== undefined) return { rejected: `Unknown parameter: '${unknown}'.` }
  if (inputs.length === 0) return { rejected: "'$.input' is invalid." }
  const isText = inputs.every((parts) => parts.every(({ type }) => type === "text"))
  if (!isText && !form.takesImages) return { rejected: "Input should be a valid string." }
  const texts = inputs.flatMap((parts) => parts.map(({ text }) => stringOf(text)))
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const reported = form.reportsUsage ? reportedCount(tokens, fault) : undefined
  return {
    json: {
      id: `modr-${Bun.hash(JSON.stringify(body)).toString(36)}`,
      model,
      results: inputs.map((parts) => verdictOf(parts, form)),
      ...(reported !== undefined && {
        usage: { prompt_tokens: reported, total_tokens: reported },
      }),
    },
  }
}

function plainInputs(input: Json | undefined): Input[] {
  if (typeof input === "string") return [[{ type: "text", text: input }]]
  const elements = arrayOf(input)
  if (elements.some(isObject)) return [elements.map(objectOf)]
  return elements.map((text) => [{ type: "text", text: stringOf(text) }])
}

/** Returns the last message of each conversation. */
function chatInputs(input: Json | undefined): Input[] {
  return arrayOf(input).map((messages) => {
    const { content } = objectOf(arrayOf(messages).at(-1))
    if (Array.isArray(content)) return content.map(objectOf)
    return [{ type: "text", text: stringOf(content) }]
  })
}

function verdictOf(parts: Input, { hasFlags }: Form): object {
  const text = parts.map((part) => stringOf(part.text)).join("\n")
  const types = [...new Set(parts.map(({ type }) => (type === "text" ? "text" : "image")))]
  const found = Object.entries(HARMFUL).map(([name, words]) => [name, words.test(text)] as const)
  const categories = Object.fromEntries(found)
  return {
    ...(hasFlags && { flagged: found.some(([, isFound]) => isFound) }),
    categories,
    category_scores: Object.fromEntries(
      found.map(([name, isFound]) => [name, isFound ? 0.9 : 0.01]),
    ),
    ...(hasFlags && {
      category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, types])),
    }),
  }
}
