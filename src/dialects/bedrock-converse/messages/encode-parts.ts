import { assertNever } from "../../../canon/assert-never.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../../canon/message.ts"
import { fittedCallId } from "../../shared/identifiers.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT, MAX_NAME_LENGTH } from "../identifiers.ts"
import { encodeAudio, encodeFile, encodeImage, DocumentNames } from "../media.ts"
import type { ModelFamily } from "../quirks.ts"

/** Encodes the parts of one request as blocks of Converse (docs/contribute/wire/bedrock-converse.md#f2). */
export class PartEncoder {
  readonly #family: ModelFamily
  readonly #losses: LossList
  readonly #documentNames = new DocumentNames()

  constructor(family: ModelFamily, losses: LossList) {
    this.#family = family
    this.#losses = losses
  }

  /**
   * Encodes a part as a block.
   * @returns undefined for a part that Converse does not accept. The part is reported as a loss unless it is empty.
   */
  encode(part: Part): JsonObject | undefined {
    switch (part.type) {
      case "text":
        if (part.citations !== undefined) this.#losses.add("citations")
        this.#losses.fieldsOf(part.extra)
        return textBlock(part.text)
      case "refusal":
        this.#losses.add("refusal", "approximated")
        return textBlock(part.text)
      case "image":
        return encodeImage(part, this.#losses)
      case "audio":
        return encodeAudio(part, this.#losses)
      case "file":
        return encodeFile(part, this.#documentNames, this.#losses)
      case "reasoning":
        return this.#encodeReasoning(part)
      case "tool-call":
        return this.#encodeCall(part)
      case "tool-result":
        return this.#encodeResult(part)
      case "web-search":
        this.#losses.add(part.type)
        return undefined
      case "unknown":
        return this.#losses.partOf(part)
      default:
        return assertNever(part)
    }
  }

  /** Encodes reasoning. Converse rejects reasoning that Bedrock did not sign. */
  #encodeReasoning(part: ReasoningPart): JsonObject | undefined {
    this.#losses.fieldsOf(part.extra)
    const { text, signature, signedBy, isRedacted } = part
    if (signature === undefined || signedBy !== DIALECT) {
      if (signature !== undefined) this.#losses.add("reasoning.signature")
      if (text !== "") this.#losses.add("reasoning")
      return undefined
    }
    return isRedacted
      ? { reasoningContent: { redactedContent: signature } }
      : { reasoningContent: { reasoningText: { text, signature } } }
  }

  #encodeCall(part: ToolCallPart): JsonObject {
    this.#losses.fieldsOf(part.extra)
    const toolUseId = fittedCallId(part.id, MAX_NAME_LENGTH)
    return {
      toolUse: { toolUseId, name: part.name, input: this.#inputOf(part) },
    }
  }

  /**
   * Returns the arguments of a call. A model can write arguments that are not a JSON object. They are sent as text
   * within an object.
   */
  #inputOf({ arguments: text }: ToolCallPart): JsonObject {
    if (text.trim() === "") return {}
    const input = this.#losses.objectIn(text)
    if (input.arguments === text) this.#losses.add("tool_call.arguments", "approximated")
    return input
  }

  #encodeResult(part: ToolResultPart): JsonObject {
    this.#losses.fieldsOf(part.extra)
    const content: JsonObject[] = []
    for (const chunk of part.content) {
      // A cache point may follow a result, but may not be inside a result.
      if (chunk.type !== "audio" && chunk.cache !== undefined) this.#losses.add("cache_control")
      // In a tool result, Converse accepts blank text, which means an empty result.
      const block = this.encode(chunk) ?? (chunk.type === "text" ? { text: chunk.text } : undefined)
      if (block === undefined) continue
      if ("audio" in block) this.#losses.add("tool_result.media")
      else content.push(block)
    }
    const toolResult: JsonObject = { toolUseId: fittedCallId(part.id, MAX_NAME_LENGTH), content }
    if (part.failed === true) {
      if (this.#family.toolResultStatus) toolResult.status = "error"
      else this.#losses.add("tool_result.failed")
    }
    return { toolResult }
  }
}

/** Returns a text block; undefined for blank text, which Converse rejects. */
function textBlock(text: string): JsonObject | undefined {
  return text.trim() === "" ? undefined : { text }
}
