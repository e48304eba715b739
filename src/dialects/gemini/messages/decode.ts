import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
} from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Message, Part, ReasoningPart, ToolResultPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeCall } from "./decode-parts.ts"
import { decodePlainPart } from "./decode-request-parts.ts"
import { carriedSignature } from "../reasoning.ts"
import { decodeFunctionResponse } from "../tools/decode.ts"

/**
 * Placeholder signatures that Google accepts on calls that Gemini has not signed
 * (https://ai.google.dev/gemini-api/docs/thought-signatures). The encoder adds them to upstream requests that require
 * them.
 */
const NO_SIGNATURES: ReadonlySet<string> = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
])
const CALL_FIELDS = new Set(["functionCall", "thought", "thoughtSignature"])

/**
 * Decodes the conversation of a request (`contents` of @google/genai), in the canonical forms that `inCanonicalForms`
 * returns.
 */
export function decodeContents(value: JsonValue | undefined): Message[] {
  if (!isDefined(value)) throw missingParameter("contents")
  if (!Array.isArray(value)) throw invalidType("contents", "an array", value)
  if (value.length === 0) throw emptyArray("contents")
  const reader = new ContentsReader()
  for (const [index, content] of value.entries()) reader.read(content, `contents[${index}]`)
  return reader.messages
}

/** Decodes `systemInstruction`, whose role is ignored. */
export function decodeInstruction(value: JsonValue | undefined): Message | undefined {
  if (!isDefined(value)) return undefined
  if (typeof value === "string") return { role: "system", parts: [{ type: "text", text: value }] }
  const name = "systemInstruction"
  const parts = partsOf(value, name).map((part, index) =>
    decodePlainPart(part, `${name}.parts[${index}]`),
  )
  return parts.length === 0 ? undefined : { role: "system", parts }
}

/** Returns the parts of a content. Clients may send a string or a list instead. */
function partsOf(value: JsonValue, name: string): JsonObject[] {
  const parts = isJsonObject(value) ? (value.parts ?? []) : value
  const list = Array.isArray(parts) ? parts : [parts]
  return list.map((part, index) => {
    if (typeof part === "string") return { text: part }
    if (isJsonObject(part)) return part
    throw invalidType(`${name}.parts[${index}]`, "an object", part)
  })
}

interface SeenCall {
  readonly id: string
  isAnswered: boolean
}

/** Calls by a key that several calls may share. `take` returns the first call of a key that has no result yet. */
class CallsByKey {
  readonly #queues = new Map<string, { readonly calls: SeenCall[]; next: number }>()

  add(key: string, call: SeenCall): void {
    const queue = this.#queues.get(key)
    if (queue === undefined) this.#queues.set(key, { calls: [call], next: 0 })
    else queue.calls.push(call)
  }

  take(key: string): SeenCall | undefined {
    const queue = this.#queues.get(key)
    if (queue === undefined) return undefined
    // A result may have been assigned to the call under another key.
    while (queue.calls[queue.next]?.isAnswered === true) queue.next++
    return queue.calls[queue.next]
  }
}

/** Assembles turns, and matches results with their calls. */
class ContentsReader {
  readonly messages: Writable<Message>[] = []
  #callCount = 0
  readonly #callsById = new CallsByKey()
  readonly #callsByName = new CallsByKey()

  read(content: JsonValue, name: string): void {
    if (!isJsonObject(content)) throw invalidType(name, "an object", content)
    const parts = partsOf(content, name)
    const { role } = content
    switch (role) {
      case "model":
        parts.forEach((part, index) => this.#readModelPart(part, `${name}.parts[${index}]`))
        break
      case "user":
      case undefined:
      case null:
      case "":
        this.#readUser(parts, name)
        break
      default:
        throw invalidValue(`${name}.role`, "Please use a valid role: user, model.")
    }
  }

  #readUser(parts: readonly JsonObject[], name: string): void {
    let plain: Part[] | undefined
    for (const [index, part] of parts.entries()) {
      const place = `${name}.parts[${index}]`
      const response = objectAt(part, "functionResponse")
      if (response === undefined) {
        if (plain === undefined) this.messages.push({ role: "user", parts: (plain = []) })
        plain.push(decodePlainPart(part, place))
        continue
      }
      plain = undefined
      const result = decodeFunctionResponse(response, this.#idFor(response), place)
      this.#addResult(result)
    }
  }

  #addResult(result: ToolResultPart): void {
    const last = this.messages.at(-1)
    if (last?.role === "tool") (last.parts as Part[]).push(result)
    else this.messages.push({ role: "tool", parts: [result] })
  }

  /**
   * Returns the id of the call that a result answers. It is the call with the id of the result, or else the first call
   * of the same name without a result.
   */
  #idFor(response: JsonObject): string {
    const id = textAt(response, "id")
    const name = textAt(response, "name")
    const call = id === undefined ? this.#callsByName.take(name ?? "") : this.#callsById.take(id)
    if (call !== undefined) call.isAnswered = true
    return call?.id ?? id ?? name ?? ""
  }

  /** Adds a part to the model's turn. A client may send a streamed turn back as several contents. */
  #readModelPart(part: JsonObject, name: string): void {
    const parts = this.#modelTurn()
    const text = textAt(part, "thoughtSignature")
    const signed =
      text === undefined || NO_SIGNATURES.has(text)
        ? undefined
        : ({ signature: carriedSignature(text), signedBy: DIALECT } as const)
    if (part.thought === true && (part.text === undefined || typeof part.text === "string")) {
      addReasoning(parts, { type: "reasoning", text: part.text ?? "", ...signed })
      return
    }
    if (signed !== undefined) parts.push({ type: "reasoning", text: "", ...signed })
    const call = objectAt(part, "functionCall")
    if (call === undefined) addPlain(parts, decodePlainPart(part, name))
    else parts.push(this.#readCall(call, part, name))
  }

  #readCall(call: JsonObject, part: JsonObject, name: string): Part {
    if (textAt(call, "name") === undefined) throw missingParameter(`${name}.functionCall.name`)
    // Ids are numbered, so that the same conversation always has the same ids and prompt caches still match.
    const decoded = decodeCall(call, () => `call_${this.#callCount}`)
    const seen = { id: decoded.id, isAnswered: false }
    this.#callCount++
    this.#callsById.add(decoded.id, seen)
    this.#callsByName.add(decoded.name, seen)
    const extra = unknownFields(part, CALL_FIELDS)
    return extra === undefined ? decoded : { ...decoded, extra: extraOf(DIALECT, extra) }
  }

  #modelTurn(): Writable<Part>[] {
    const last = this.messages.at(-1)
    if (last?.role === "assistant") return last.parts as Writable<Part>[]
    const parts: Writable<Part>[] = []
    this.messages.push({ role: "assistant", parts })
    return parts
  }
}

/** Adds reasoning. Chunks of a thought are joined until it is signed. */
function addReasoning(parts: Writable<Part>[], part: ReasoningPart): void {
  const last = parts.at(-1)
  if (last?.type === "reasoning" && last.signature === undefined) {
    Object.assign(last, part, { text: last.text + part.text })
  } else if (part.text !== "" || part.signature !== undefined) parts.push({ ...part })
}

function addPlain(parts: Writable<Part>[], part: Part): void {
  const last = parts.at(-1)
  if (part.type !== "text") parts.push(part)
  else if (last?.type === "text" && last.extra === undefined && part.extra === undefined) {
    last.text += part.text
  } else if (part.text !== "") parts.push({ ...part })
}
