import { EntryCount } from "../../../canon/response-limits.ts"
import type { ChatResult, Choice } from "../../../canon/chat.ts"
import { GatewayError } from "../../../canon/errors.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Part, TextPart } from "../../../canon/message.ts"
import { checkToolCalls } from "../../shared/choices.ts"
import { defined } from "../../shared/fields.ts"
import { wholeFinish } from "../../shared/finish.ts"
import { withoutOperatorData } from "../../shared/vendor-costs.ts"
import { decodeCitations } from "../citations.ts"
import { decodeFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeUsage } from "../usage.ts"
import { SearchSteps } from "../search.ts"

const RESULT_FIELDS = new Set([
  "id",
  "type",
  "role",
  "model",
  "content",
  "stop_reason",
  "stop_sequence",
  "usage",
])

/**
 * Decodes a whole message (docs/contribute/wire/anthropic-messages.md#f19). Blocks that the canon lacks, such as
 * results of server tools, are kept as unknown parts. Members of the message that the canon lacks are kept as the extra
 * of the only choice.
 * @throws GatewayError `upstream_error` if the body is not a message.
 */
export function decodeResult(body: JsonObject): ChatResult {
  if (!Array.isArray(body.content)) {
    throw new GatewayError("upstream_error", "The provider's response is not a message.")
  }
  const searches = new SearchSteps()
  const blocks = body.content.filter(isJsonObject)
  countEntries(body.content)
  checkToolCalls(blocks.filter(({ type }) => type === "tool_use").length)
  const parts = blocks.flatMap((block) => {
    const search = searches.read(block)
    const part = decodeBlock(block)
    return search === undefined ? [part] : [part, search]
  })
  const word = textAt(body, "stop_reason")
  const hasCalls = parts.some((part) => part.type === "tool-call")
  const finish = wholeFinish(decodeFinish(word, hasCalls))
  const extra = messageExtra(body)
  const choice: Choice = defined({
    index: 0,
    parts,
    finish: finish.reason,
    rawFinish: finish.raw,
    stopSequence: textAt(body, "stop_sequence"),
    extra: extra && extraOf(DIALECT, extra),
  })
  return defined({
    choices: [choice],
    id: textAt(body, "id"),
    model: textAt(body, "model"),
    usage: decodeUsage(body.usage),
  })
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more blocks, citations or search results than a response can have.
 */
function countEntries(content: JsonValue[]): void {
  const count = new EntryCount()
  count.parts(content)
  for (const block of content) {
    if (!isJsonObject(block)) continue
    count.citations(block.citations)
    count.citations(block.content)
  }
}

/** Returns the members of a message that the canon lacks. */
export function messageExtra(message: JsonObject): JsonObject | undefined {
  const extra = unknownFields(message, RESULT_FIELDS)
  return extra && withoutOperatorData(extra)
}

function decodeBlock(block: JsonObject): Part {
  switch (block.type) {
    case "text":
      return decodeText(block)
    case "thinking": {
      const text = textAt(block, "thinking") ?? ""
      const signature = textAt(block, "signature")
      return signature === undefined
        ? { type: "reasoning", text }
        : { type: "reasoning", text, signature, signedBy: DIALECT }
    }
    case "redacted_thinking": {
      const signature = textAt(block, "data") ?? ""
      return { type: "reasoning", text: "", signature, signedBy: DIALECT, isRedacted: true }
    }
    case "tool_use": {
      const name = textAt(block, "name") ?? ""
      const written = JSON.stringify(block.input ?? {})
      return { type: "tool-call", id: textAt(block, "id") ?? "", name, arguments: written }
    }
    default:
      return { type: "unknown", extra: extraOf(DIALECT, block) }
  }
}

function decodeText(block: JsonObject): TextPart {
  const text = textAt(block, "text") ?? ""
  const citations = decodeCitations(block.citations)
  return citations.length === 0 ? { type: "text", text } : { type: "text", text, citations }
}
