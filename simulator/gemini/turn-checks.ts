import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "./errors.ts"
import type { Call } from "./paths.ts"
import { signedText } from "./result.ts"
import { SIGNER } from "./signer.ts"

/** Values that Google accepts in place of a missing signature (docs/contribute/wire/gemini.md#f6). */
const DUMMIES = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
])

/** The properties of one content that the rules for turns use. */
interface Turn {
  readonly isModel: boolean
  readonly parts: readonly JsonObject[]
  readonly calls: readonly JsonObject[]
  readonly responses: readonly JsonObject[]
}

/**
 * Returns Google's error for the order of the contents and for their signatures. Google accepts two consecutive
 * contents of the user (recorded). Consecutive contents of the model are one turn, because chats of the official client
 * store a streamed response as its chunks.
 */
export function checkTurns(contents: readonly JsonObject[], call: Call): VendorError | undefined {
  const turns = turnsOf(contents)
  for (const [index, turn] of turns.entries()) {
    const message = checkOrder(turn, turns[index - 1], turns[index + 1])
    if (message !== undefined) return invalid(message)
  }
  return checkSignatures(turns, call)
}

function turnsOf(contents: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = []
  for (const turn of contents.map(readTurn)) {
    const last = turns.at(-1)
    if (last?.isModel && turn.isModel) turns[turns.length - 1] = joined(last, turn)
    else turns.push(turn)
  }
  return turns
}

function joined(first: Turn, second: Turn): Turn {
  return {
    isModel: first.isModel,
    parts: [...first.parts, ...second.parts],
    calls: [...first.calls, ...second.calls],
    responses: [...first.responses, ...second.responses],
  }
}

function readTurn(content: JsonObject): Turn {
  const parts = arrayOf(content.parts).map((part) => objectOf(part))
  const member = (name: string) =>
    parts.flatMap((part) => (part[name] === undefined ? [] : [objectOf(part[name])]))
  return {
    isModel: content.role === "model",
    parts,
    calls: member("functionCall"),
    responses: member("functionResponse"),
  }
}

const CALL_PLACE =
  "Please ensure that function call turn comes immediately after a user turn or after a function " +
  "response turn."
const RESPONSE_PLACE =
  "Please ensure that function response turn comes immediately after a function call turn."
const RESPONSE_COUNT =
  "Please ensure that the number of function response parts is equal to the number of function call " +
  "parts of the function call turn."

function checkOrder(
  turn: Turn,
  before: Turn | undefined,
  after: Turn | undefined,
): string | undefined {
  if (turn.calls.length > 0) {
    if (!turn.isModel || before === undefined) return CALL_PLACE
    return after?.responses.length === turn.calls.length ? undefined : RESPONSE_COUNT
  }
  if (turn.responses.length === 0) return undefined
  if (turn.isModel || before === undefined || before.calls.length === 0) return RESPONSE_PLACE
  return answersAll(turn.responses, before.calls)
    ? undefined
    : "Please ensure that each function response part has the name, and the id, of a function call part of the function call turn."
}

/** Reports whether each response answers a different call. Calls are matched by id, or by name if there is no id. */
function answersAll(responses: readonly JsonObject[], calls: readonly JsonObject[]): boolean {
  const open = [...calls]
  for (const response of responses) {
    const found = open.findIndex(
      (call) =>
        call.name === response.name &&
        (call.id === undefined || response.id === undefined || call.id === response.id),
    )
    if (found === -1) return false
    open.splice(found, 1)
  }
  return true
}

/**
 * Checks the signatures. The current turn begins with the user's last text. Within it, the first call of each content
 * must have its signature. Every signature must have been issued by Google and be unchanged.
 */
function checkSignatures(turns: readonly Turn[], call: Call): VendorError | undefined {
  const start = turns.findLastIndex((turn) => !turn.isModel && turn.responses.length === 0)
  for (const [index, turn] of turns.entries()) {
    for (const part of turn.parts) {
      if (part.thoughtSignature !== undefined && !isGenuine(part)) return invalidSignature(call)
    }
    const [first] = turn.parts.filter((part) => part.functionCall !== undefined)
    if (index > start && first !== undefined && first.thoughtSignature === undefined) {
      if (needsSignatures(call.model)) return missingSignature(first, index)
    }
  }
  return undefined
}

/** Whether a model requires signatures; models before Gemini 3 do not. */
function needsSignatures(model: string): boolean {
  return !/^gemini-[12]\b/.test(model)
}

function isGenuine(part: JsonObject): boolean {
  const written = stringOf(part.thoughtSignature)
  if (DUMMIES.has(written)) return true
  // Both base64 alphabets are accepted, as in all fields with bytes.
  const signature = written.replaceAll("-", "+").replaceAll("_", "/")
  return part.functionCall === undefined
    ? SIGNER.opens(signature)
    : SIGNER.verifies(signedText(objectOf(part.functionCall)), signature)
}

function invalidSignature(call: Call): VendorError {
  return invalid(
    call.isVertex
      ? "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
      : "Corrupted thought signature.",
  )
}

function missingSignature(part: JsonObject, index: number): VendorError {
  const name = stringOf(objectOf(part.functionCall).name)
  return invalid(
    "Function call is missing a thought_signature in functionCall parts. This is required for tools " +
      "to work correctly, and missing thought_signature may lead to degraded model performance. " +
      `Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer ` +
      "to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
  )
}
