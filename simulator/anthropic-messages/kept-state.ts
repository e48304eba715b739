import { base62 } from "../identifiers.ts"
import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"

const MAX_KEPT = 1_000
const CONTAINER_LIFETIME_MS = 30 * 86_400_000

/** The rejection of a request that continues from an unknown message or container. */
interface StateNotFound {
  readonly status: 404
  readonly type: "not_found_error"
  readonly message: string
  readonly details?: { readonly error_code: string }
}

/**
 * The state that the vendor stores: containers, and threads with their system prompt and tools. A thread is stored
 * under the id of its last message.
 */
export class KeptState {
  readonly #threads = new Map<string, JsonObject>()
  readonly #containers = new Set<string>()

  /** Returns the request with the messages of the thread that it continues, or the vendor's rejection. */
  gather(body: JsonObject): { readonly body: JsonObject } | StateNotFound {
    const container = containerOf(body)
    if (container !== "" && !this.#containers.has(container)) {
      return notFound(`container: ${container} not found`)
    }
    const thread = objectOf(body.thread)
    if (thread.type !== "continue") return { body }
    const id = stringOf(thread.previous_message_id)
    const before = this.#threads.get(id)
    if (before === undefined) {
      const details = { error_code: "thread_not_found" }
      return { ...notFound(`thread: no thread ends with ${id}`), details }
    }
    const messages = [...arrayOf(before.messages), ...arrayOf(body.messages)]
    return { body: { ...before, ...body, messages } }
  }

  /** Stores a conversation under its response's id, if the caller asked for a thread. */
  keep(body: JsonObject, id: string, content: readonly Json[]): void {
    if (typeof objectOf(body.thread).type !== "string") return
    if (this.#threads.size >= MAX_KEPT) this.#threads.clear()
    const { system, tools } = body
    const messages = [...arrayOf(body.messages), { role: "assistant", content: [...content] }]
    const settings = { ...(system && { system }), ...(tools && { tools }) }
    this.#threads.set(id, { ...settings, messages })
  }

  /**
   * Returns the container of tools that run code: the previous container, or a new one. Returns null if there are no
   * such tools.
   */
  container(body: JsonObject): JsonObject | null {
    const tools = arrayOf(body.tools).map((tool) => stringOf(objectOf(tool).type))
    const named = containerOf(body)
    if (named === "" && !tools.some((type) => type.startsWith("code_execution"))) return null
    const id = named === "" ? `container_01${base62(22)}` : named
    this.#containers.add(id)
    return { id, expires_at: new Date(Date.now() + CONTAINER_LIFETIME_MS).toISOString() }
  }
}

function containerOf({ container }: JsonObject): string {
  return typeof container === "string" ? container : stringOf(objectOf(container).id)
}

function notFound(message: string): StateNotFound {
  return { status: 404, type: "not_found_error", message }
}
