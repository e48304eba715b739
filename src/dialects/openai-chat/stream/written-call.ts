import type { CallOrigin } from "../../../canon/message.ts"
import { TextReader } from "../../shared/text-reader.ts"

/** Writes a tool call of a streamed answer, in the form in which the caller declared the tool. */
export class WrittenCall {
  readonly #call: number
  readonly #isLegacy: boolean
  readonly #reader: TextReader | undefined
  #hasArguments = false

  /** @param form the form of the call. One call of a choice can be in the legacy form, which has no number. */
  constructor(call: number, form: CallOrigin["form"]) {
    this.#call = call
    this.#isLegacy = form === "legacy"
    if (form === "text") this.#reader = new TextReader()
  }

  /**
   * Returns the delta that starts the call. Only this delta has an id, a type and a name
   * (docs/contribute/wire/openai-chat.md#f6).
   */
  opening(id: string, name: string): string {
    if (this.#isLegacy) return JSON.stringify({ function_call: { name, arguments: "" } })
    const index = this.#call
    const opened =
      this.#reader === undefined
        ? { index, id, type: "function", function: { name, arguments: "" } }
        : { index, id, type: "custom", custom: { name, input: "" } }
    return JSON.stringify({ tool_calls: [opened] })
  }

  /**
   * Handles a chunk of the arguments.
   * @returns its delta; undefined if there is nothing to send yet.
   */
  chunk(written: string): string | undefined {
    this.#hasArguments = true
    if (this.#reader !== undefined) return this.#text(this.#reader.push(written))
    const text = JSON.stringify(written)
    return this.#isLegacy
      ? `{"function_call":{"arguments":${text}}}`
      : `{"tool_calls":[{"index":${this.#call},"function":{"arguments":${text}}}]}`
  }

  /**
   * Returns the delta that completes the arguments. A call without arguments gets an empty object
   * (docs/contribute/wire/README.md#f3).
   */
  rest(): string | undefined {
    if (this.#reader !== undefined) return this.#text(this.#reader.end())
    return this.#hasArguments ? undefined : this.chunk("{}")
  }

  #text(text: string): string | undefined {
    if (text === "") return undefined
    return `{"tool_calls":[{"index":${this.#call},"custom":{"input":${JSON.stringify(text)}}}]}`
  }
}
