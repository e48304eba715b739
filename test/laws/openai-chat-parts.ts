/** Generators for parts of messages, of each kind that the canon has. */
import * as fc from "fast-check"
import type { CacheMarker, Part, ReasoningPart, ToolCallPart } from "../../src/canon/message.ts"
import type { Extra } from "../../src/canon/extra.ts"
import type { JsonValue } from "../../src/canon/json.ts"

export const text = fc.string({ minLength: 1, unit: "grapheme" })
export const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
/** Names of fields that no dialect defines. */
const unknownName = word.map((name) => `x_${name}`)
export const value = fc
  .jsonValue({ maxDepth: 2 })
  .filter((json) => json !== null && json !== "" && !isEmpty(json)) as fc.Arbitrary<JsonValue>
export const fields = fc.dictionary(unknownName, value, {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
})
export const extra: fc.Arbitrary<Extra> = fields.map((fields) => ({
  dialect: "openai-chat",
  fields,
}))
export const schema = fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true })

function isEmpty(json: unknown): boolean {
  return typeof json === "object" && json !== null && Object.keys(json).length === 0
}

/** Generates an object. Members that may be absent are missing and not undefined. */
export function record<T>(
  required: fc.Arbitrary<T>,
  optional: Record<string, fc.Arbitrary<unknown>>,
) {
  return fc
    .tuple(required, fc.record(optional, { requiredKeys: [], noNullPrototype: true }))
    .map(([left, right]) => ({ ...left, ...right }) as T)
}

const base64 = fc
  .uint8Array({ minLength: 3, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
export const webUrl = word.map((name) => `https://host/${name}.png`)

export const cache: fc.Arbitrary<CacheMarker> = fc.constantFrom({}, { ttl: "5m" }, { ttl: "1h" })
export const textPart: fc.Arbitrary<Part> = record(
  text.map((text) => ({ type: "text", text })),
  { cache, extra },
)
const imagePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      webUrl.map((url) => ({ type: "url" as const, url })),
      base64.map((data) => ({ type: "base64" as const, data, mediaType: "image/png" })),
    )
    .map((source) => ({ type: "image", source })),
  { detail: fc.constantFrom("low", "high"), cache, extra },
)
const audioPart: fc.Arbitrary<Part> = record<Part>(
  base64.map((data) => ({ type: "audio", source: { type: "base64", data }, format: "wav" })),
  { extra },
)
const filePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      word.map((id) => ({ type: "reference" as const, id })),
      webUrl.map((url) => ({ type: "url" as const, url })),
    )
    .map((source) => ({ type: "file", source })),
  { name: word, cache, extra },
)
/** Data without a name gets a name. */
const dataPart: fc.Arbitrary<Part> = record<Part>(
  fc.record({ data: base64, name: word }).map(({ data, name }) => {
    const source = { type: "base64", data, mediaType: "application/pdf" } as const
    return { type: "file", source, name }
  }),
  { cache, extra },
)
const vendorPart: fc.Arbitrary<Part> = webUrl.map((url) => ({
  type: "unknown",
  extra: { dialect: "openai-chat", fields: { type: "document_url", document_url: url } },
}))
export const content = fc.array(
  fc.oneof(textPart, imagePart, audioPart, filePart, dataPart, vendorPart),
  {
    minLength: 1,
    maxLength: 4,
  },
)

export const reasoningPart: fc.Arbitrary<ReasoningPart> = fc.oneof(
  record<ReasoningPart>(
    text.map((text) => ({ type: "reasoning", text })),
    { id: word },
  ),
  fc.oneof(text, fc.constant("")).chain((text) => signed({ text })),
  signed({ text: "", isRedacted: true }),
)

function signed(fields: Pick<ReasoningPart, "text" | "isRedacted">): fc.Arbitrary<ReasoningPart> {
  return record<ReasoningPart>(
    fc.uuid().map((signature) => ({
      type: "reasoning",
      ...fields,
      signature,
      signedBy: "openai-chat",
    })),
    { id: word },
  )
}
export const refusalPart: fc.Arbitrary<Part> = text.map((text) => ({ type: "refusal", text }))
export const toolCall: fc.Arbitrary<ToolCallPart> = record<ToolCallPart>(
  fc.tuple(word, word, schema).map(([id, name, input]) => ({
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify(input),
  })),
  { extra },
)
export const otherCall: fc.Arbitrary<Part> = word.map((id) => ({
  type: "unknown",
  extra: {
    dialect: "openai-chat",
    fields: { type: "vendor_call", id, vendor_call: { name: "c", input: "x" } },
  },
}))
export const textCall: fc.Arbitrary<ToolCallPart> = record<ToolCallPart>(
  fc.tuple(word, word, fc.string({ unit: "binary" })).map(([id, name, input]) => ({
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify({ input }),
    origin: { form: "text", name },
  })),
  { extra },
)
