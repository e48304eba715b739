import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import {
  CODE,
  endStatus,
  FAILURE,
  itemObject,
  responseObject,
  textLogprobs,
  textPart,
  type OutputItem,
  type ResponsesResponse,
} from "./result.ts"

const PADDING = "Qm7ZtL0xVbR2sWnK"

function frame(type: string, content: string, sequenceNumber: number): string {
  return `event: ${type}\ndata: {"type":"${type}",${content},"sequence_number":${sequenceNumber}}\n\n`
}

/**
 * The frames of a streamed response in OpenAI's order (docs/contribute/wire/openai-responses.md#f6). They are numbered
 * without gaps, so the last frame is written after all others.
 */
export class ResponseScript implements StreamScript {
  readonly opening: readonly string[]
  readonly closing = []
  readonly brokenFrame =
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","content_in\n\n'
  readonly #response: ResponsesResponse
  readonly #output: readonly object[]
  readonly #isObfuscated: boolean
  #count = 0

  /** @param output the items as they are in the last frame. */
  constructor(response: ResponsesResponse, output: readonly object[], isObfuscated: boolean) {
    this.#response = response
    this.#output = output
    this.#isObfuscated = isObfuscated
    const begun = `"response":${JSON.stringify(responseObject(response, "in_progress", []))}`
    this.opening = [
      this.#next("response.created", begun),
      this.#next("response.in_progress", begun),
    ]
  }

  /** Returns the frames of all items. Each item is written from its start to its end. */
  get body(): Iterable<string> {
    return this.#itemFrames()
  }

  /** Returns the last frame, which contains the complete response. There is no other end marker. */
  get end(): string {
    const status = this.#response.isIncomplete ? "incomplete" : "completed"
    const response = responseObject(this.#response, status, this.#output)
    return frame(`response.${status}`, `"response":${JSON.stringify(response)}`, this.#count)
  }

  /**
   * Returns the error event, which is nested as recorded, and the failed response after it
   * (docs/contribute/wire/openai-responses.md#f11).
   */
  readonly errorFrame = (framesBefore: number): string => {
    const { code, message } = FAILURE
    const error = JSON.stringify({ type: code, code, message, param: null })
    const response = JSON.stringify(responseObject(this.#response, "failed", []))
    return (
      frame("error", `"error":${error}`, framesBefore) +
      frame("response.failed", `"response":${response}`, framesBefore + 1)
    )
  }

  #next(type: string, content: string): string {
    return frame(type, content, this.#count++)
  }

  *#itemFrames(): Generator<string> {
    const { items, logprobs } = this.#response
    for (const [index, item] of items.entries()) {
      const reported = (object: object) =>
        `"item":${JSON.stringify(object)},"output_index":${index}`
      const begun = itemObject(item, "in_progress", logprobs)
      yield this.#next("response.output_item.added", reported(begun))
      yield* this.#contentFrames(item, `"item_id":"${item.id}","output_index":${index}`)
      const ended = itemObject(item, endStatus(this.#response, index), logprobs)
      yield this.#next("response.output_item.done", reported(ended))
    }
  }

  *#contentFrames(item: OutputItem, place: string): Generator<string> {
    switch (item.type) {
      case "reasoning":
        if (item.isTold) yield* this.#summaryFrames(item.thought, `${place},"summary_index":0`)
        return
      case "web_search_call":
        for (const state of ["in_progress", "searching", "completed"]) {
          yield this.#next(`response.web_search_call.${state}`, place)
        }
        return
      case "message":
        yield* this.#textFrames(item.text, `"content_index":0,${place}`)
        return
      case "code_interpreter_call": {
        const type = "response.code_interpreter_call"
        yield this.#next(`${type}.in_progress`, place)
        yield* this.#deltas(`${type}_code.delta`, CODE, place)
        yield this.#next(`${type}_code.done`, `"code":${JSON.stringify(CODE)},${place}`)
        yield this.#next(`${type}.interpreting`, place)
        yield this.#next(`${type}.completed`, place)
        return
      }
      case "function_call": {
        const type = "response.function_call_arguments"
        yield* this.#deltas(`${type}.delta`, item.argumentsText, place)
        const whole = JSON.stringify(item.argumentsText)
        yield this.#next(`${type}.done`, `"arguments":${whole},${place}`)
        return
      }
      case "custom_tool_call": {
        const type = "response.custom_tool_call_input"
        yield* this.#deltas(`${type}.delta`, item.input, place)
        yield this.#next(`${type}.done`, `"input":${JSON.stringify(item.input)},${place}`)
      }
    }
  }

  *#summaryFrames(thought: string, place: string): Generator<string> {
    const part = (text: string) => `"part":${JSON.stringify({ type: "summary_text", text })}`
    yield this.#next("response.reasoning_summary_part.added", `${part("")},${place}`)
    yield* this.#deltas("response.reasoning_summary_text.delta", thought, place)
    const whole = `"text":${JSON.stringify(thought)}`
    yield this.#next("response.reasoning_summary_text.done", `${place},${whole}`)
    yield this.#next("response.reasoning_summary_part.done", `${part(thought)},${place}`)
  }

  *#textFrames(text: string, place: string): Generator<string> {
    const { logprobs } = this.#response
    const part = (part: object) => `${place},"part":${JSON.stringify(part)}`
    yield this.#next("response.content_part.added", part(textPart("", logprobs)))
    const type = "response.output_text"
    for (const token of eachToken(text)) {
      const probabilities = logprobs.wanted ? JSON.stringify(textLogprobs(token, logprobs)) : "[]"
      const reported = `${place},"logprobs":${probabilities}`
      yield this.#next(`${type}.delta`, this.#delta(token, reported))
    }
    const probabilities = JSON.stringify(textLogprobs(text, logprobs))
    const whole = `${place},"logprobs":${probabilities},"text":${JSON.stringify(text)}`
    yield this.#next(`${type}.done`, whole)
    yield this.#next("response.content_part.done", part(textPart(text, logprobs)))
  }

  *#deltas(type: string, text: string, place: string): Generator<string> {
    for (const token of eachToken(text)) yield this.#next(type, this.#delta(token, place))
  }

  #delta(token: string, place: string): string {
    const padding = this.#isObfuscated
      ? `,"obfuscation":"${PADDING.slice(0, 16 - (token.length % 16))}"`
      : ""
    return `"delta":${JSON.stringify(token)},${place}${padding}`
  }
}
