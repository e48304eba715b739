import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { CallOrigin } from "../../../canon/message.ts"
import { TextReader } from "../../shared/text-tool.ts"
import { callItem, type ItemStatus } from "../result/output-items.ts"
import type { FrameWriter } from "./frame-writer.ts"
import { type ItemPlace, ItemWriter } from "./item-writers.ts"

export interface CallNames {
  readonly id: string
  readonly name: string
  /** The caller's declaration of the called tool; absent for a plain function. */
  readonly origin?: CallOrigin | undefined
}

/** A call while it is streamed. */
export type OpenCallWriter = ItemWriter & { write(delta: string, frames: SseFrame[]): void }

/** Writes a call. Several calls may be open at the same time, because each call is a separate item. */
export class CallWriter extends ItemWriter {
  readonly #call: CallNames
  #arguments = ""

  constructor(writer: FrameWriter, place: ItemPlace, call: CallNames, frames: SseFrame[]) {
    super(writer, place)
    this.#call = call
    this.open(callItem(this.id, "in_progress", { ...call, arguments: "" }, call.origin), frames)
  }

  get item(): JsonObject {
    const call = { ...this.#call, arguments: this.#arguments }
    return callItem(this.id, this.status, call, call.origin)
  }

  override get length(): number {
    return this.#arguments.length
  }

  write(delta: string, frames: SseFrame[]): void {
    if (delta === "") return
    this.#arguments += delta
    const members = `${this.place},"delta":${JSON.stringify(delta)}`
    frames.push(this.writer.frame("response.function_call_arguments.delta", members))
  }

  protected override finish(frames: SseFrame[]): void {
    // A call without arguments has an empty object, never an empty string (docs/contribute/wire/README.md#f3).
    if (this.#arguments === "") this.write("{}", frames)
    const name = this.#call.origin?.name ?? this.#call.name
    const members = { ...this.placed, name, arguments: this.#arguments }
    frames.push(this.writer.long("response.function_call_arguments.done", members, this.length))
  }
}

/** Writes a call to a custom tool, as the text that its arguments contain. */
export class CustomCallWriter extends ItemWriter {
  readonly #call: CallNames
  readonly #reader = new TextReader()
  #text = ""

  constructor(writer: FrameWriter, place: ItemPlace, call: CallNames, frames: SseFrame[]) {
    super(writer, place)
    this.#call = call
    this.open(this.#itemOf("in_progress"), frames)
  }

  get item(): JsonObject {
    return this.#itemOf(this.status)
  }

  override get length(): number {
    return this.#text.length
  }

  write(delta: string, frames: SseFrame[]): void {
    this.#report(this.#reader.push(delta), frames)
  }

  protected override finish(frames: SseFrame[]): void {
    this.#report(this.#reader.end(), frames)
    const members = { ...this.placed, input: this.#text }
    frames.push(this.writer.long("response.custom_tool_call_input.done", members, this.length))
  }

  #itemOf(status: ItemStatus): JsonObject {
    const call = { ...this.#call, arguments: "" }
    return { ...callItem(this.id, status, call, call.origin), input: this.#text }
  }

  #report(text: string, frames: SseFrame[]): void {
    if (text === "") return
    this.#text += text
    const members = `${this.place},"delta":${JSON.stringify(text)}`
    frames.push(this.writer.frame("response.custom_tool_call_input.delta", members))
  }
}
