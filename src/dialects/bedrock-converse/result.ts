import { EntryCount } from "../../canon/response-limits.ts"
import type { ChatEvent, ChatRequest, ChatResult } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { foldEvents } from "../../canon/fold.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import { ResponseBlocks } from "./stream/response-blocks.ts"
import { decodeUsage } from "./usage.ts"

/**
 * Decodes a whole response of Converse (docs/contribute/wire/bedrock-converse.md#f12) in the same way as a stream.
 * @throws GatewayError `upstream_error` if the body is not a response.
 */
export function decodeResult(body: JsonObject, request: ChatRequest | undefined): ChatResult {
  const message = objectAt(objectAt(body, "output") ?? {}, "message")
  if (message === undefined || !Array.isArray(message.content)) {
    throw new GatewayError("upstream_error", "The provider's response is not a Converse response.")
  }
  countEntries(message.content)
  const blocks = new ResponseBlocks(request)
  for (const [index, block] of message.content.entries()) {
    if (isJsonObject(block)) readBlock(index, block, blocks)
  }
  blocks.finish(textAt(body, "stopReason") ?? "", objectAt(body, "additionalModelResponseFields"))
  const events: ChatEvent[] = blocks.take()
  const usage = decodeUsage(body.usage)
  if (usage !== undefined) events.push({ type: "usage", usage })
  return foldEvents(events)
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more blocks or citations than a response can have.
 */
function countEntries(content: JsonValue[]): void {
  const count = new EntryCount()
  count.parts(content)
  for (const block of content) {
    const cited = isJsonObject(block) ? objectAt(block, "citationsContent") : undefined
    if (cited === undefined) continue
    count.parts(cited.content)
    count.citations(cited.citations)
    for (const citation of listAt(cited, "citations")) {
      if (isJsonObject(citation)) count.citations(citation.sourceContent)
    }
  }
}

function readBlock(index: number, block: JsonObject, blocks: ResponseBlocks): void {
  const { text, toolUse, reasoningContent: reasoning, citationsContent: cited } = block
  if (typeof text === "string") blocks.delta(index, { text })
  else if (isJsonObject(toolUse)) {
    blocks.start(index, { toolUse })
    blocks.delta(index, { toolUse: { input: inputText(toolUse.input) } })
  } else if (isJsonObject(reasoning)) {
    const { reasoningText } = reasoning
    const said = isJsonObject(reasoningText) ? reasoningText : reasoning
    blocks.delta(index, { reasoningContent: said })
  } else if (isJsonObject(cited)) {
    for (const chunk of listAt(cited, "content"))
      if (isJsonObject(chunk)) blocks.delta(index, chunk)
    for (const citation of listAt(cited, "citations")) blocks.delta(index, { citation })
  }
  blocks.stop(index)
}

function inputText(input: JsonValue | undefined): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {})
}
