import type { ChatEvent } from "../../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../../canon/json.ts"
import { checkToolCalls } from "../../shared/choices.ts"
import { mintCallId } from "../../shared/identifiers.ts"
import { customIn } from "../result/calls.ts"
import { TEXT_CLOSING, TEXT_OPENING, textArguments, writeText } from "../../shared/text-tool.ts"

/** A tool call that is being streamed. */
interface OpenCall {
  /** The number of the call in the canon's events. */
  readonly call: number
  /** The vendor's id; empty until the vendor sends an id. */
  id: string
  name: string
  announced: boolean
  /** For a custom tool, how much of its text has been sent. */
  text?: "pending" | "open" | "closed"
}

/** The members of a delta that identify its call. */
interface Address {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
}

/**
 * The tool calls of one choice of a stream. Vendors number calls from one, do not number them, or give all calls the
 * same number (docs/contribute/wire/openai-chat.md#f6 and docs/contribute/wire/openai-chat.md#f20). The canon's numbers
 * start at zero.
 */
export class OpenCalls {
  readonly #calls: OpenCall[] = []
  /** The last call for each of the vendor's numbers. */
  readonly #byIndex = new Map<number, OpenCall>()
  readonly #byId = new Map<string, OpenCall>()

  get size(): number {
    return this.#calls.length
  }

  /** Handles one entry of `tool_calls`, or of the older `function_call` in the same form. */
  push(delta: JsonObject, choice: number, events: ChatEvent[]): void {
    const custom = customIn(delta)
    const called = isJsonObject(delta.function) ? delta.function : (custom ?? {})
    const id = textAt(delta, "id")
    const name = textAt(called, "name")
    const index = typeof delta.index === "number" ? delta.index : undefined
    const open = this.#callOf({ index, id, name })
    if (id !== undefined && open.id === "") {
      open.id = id
      this.#byId.set(id, open)
    }
    if (name !== undefined && open.name === "") open.name = name
    if (custom !== undefined && !open.announced) open.text = "pending"
    if (open.name !== "") announce(open, choice, events)
    if (custom !== undefined && open.text !== undefined) {
      this.#writeText(open, custom.input, choice, events)
      return
    }
    const written = called.arguments
    const text = isJsonObject(written) ? JSON.stringify(written) : written
    if (typeof text !== "string" || text === "") return
    announce(open, choice, events)
    events.push({ type: "tool-call-delta", choice, call: open.call, arguments: text })
  }

  /** Announces calls that never received a name, because they still count as calls. */
  announceAll(choice: number, events: ChatEvent[]): void {
    for (const open of this.#calls) {
      announce(open, choice, events)
      const { call, text } = open
      if (text === undefined || text === "closed") continue
      open.text = "closed"
      const closing = text === "open" ? TEXT_CLOSING : textArguments("")
      events.push({ type: "tool-call-delta", choice, call, arguments: closing })
    }
  }

  #writeText(
    open: OpenCall,
    text: JsonValue | undefined,
    choice: number,
    events: ChatEvent[],
  ): void {
    if (typeof text !== "string" || text === "") return
    announce(open, choice, events)
    const opening = open.text === "pending" ? TEXT_OPENING : ""
    open.text = "open"
    const written = opening + writeText(text)
    events.push({ type: "tool-call-delta", choice, call: open.call, arguments: written })
  }

  #callOf(address: Address): OpenCall {
    const known = this.#find(address)
    if (known !== undefined && !isAnother(known, address)) return known
    const { index, id } = address
    const open = { call: this.#calls.length, id: id ?? "", name: "", announced: false }
    this.#calls.push(open)
    checkToolCalls(this.#calls.length)
    if (index !== undefined) this.#byIndex.set(index, open)
    if (id !== undefined) this.#byId.set(id, open)
    return open
  }

  /** Finds a call by number, or else by id. A delta with neither continues the last call. */
  #find({ index, id }: Address): OpenCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index)
    return id === undefined ? this.#calls.at(-1) : this.#byId.get(id)
  }
}

/**
 * Whether a delta starts another call. It does if it has a name and a different id, regardless of its number, or a
 * second name without an id.
 */
function isAnother(known: OpenCall, { index, id, name }: Address): boolean {
  if (name === undefined) return false
  if (id !== undefined) return known.id !== "" && known.id !== id
  return index === undefined && known.name !== ""
}

function announce(open: OpenCall, choice: number, events: ChatEvent[]): void {
  if (open.announced) return
  open.announced = true
  // The id that was sent is kept, even if the vendor sends another id later.
  const { call, id, name, text } = open
  const start = { type: "tool-call-start", choice, call, id: id || mintCallId(), name } as const
  events.push(text === undefined ? start : { ...start, origin: { form: "text", name } })
}
