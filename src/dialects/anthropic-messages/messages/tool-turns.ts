import { type BlockPosition, rejection } from "./block-position.ts"

/**
 * Checks that calls and results match, and reports errors with the messages of Anthropic's API. Each call must have
 * exactly one result, in the user turn right after it. Consecutive messages of one role are one turn.
 */
export class ToolTurns {
  readonly #continues: boolean
  readonly #ids = new Set<string>()
  /** Calls of the assistant's latest turn. The value is whether the call has its result. */
  readonly #calls = new Map<string, boolean>()
  #asker = 0
  #isAnswering = false

  /** @param continues whether the vendor stores the earlier turns with their calls. */
  constructor(continues: boolean) {
    this.#continues = continues
  }

  onAssistant(): void {
    if (!this.#isAnswering) return
    this.close()
    this.#calls.clear()
    this.#isAnswering = false
  }

  onUser(): void {
    this.#isAnswering = true
  }

  onCall(id: string, position: BlockPosition): void {
    if (this.#ids.has(id)) throw rejection(position, "`tool_use` ids must be unique")
    this.#ids.add(id)
    this.#calls.set(id, false)
    this.#asker = position.message
  }

  onResult(id: string, position: BlockPosition): void {
    const isAnswered = this.#calls.get(id)
    if (isAnswered === undefined && !(this.#continues && this.#ids.size === 0)) {
      throw rejection(
        position,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
          "block must have a corresponding `tool_use` block in the previous message.",
      )
    }
    if (isAnswered) {
      throw rejection(
        position,
        "each tool_use must have a single result. " +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    this.#calls.set(id, true)
  }

  /** Ends the check. Calls of the last turn may still lack their results. */
  close(): void {
    if (!this.#isAnswering) return
    const open = [...this.#calls].filter(([, isAnswered]) => !isAnswered).map(([id]) => id)
    if (open.length === 0) return
    throw rejection(
      { message: this.#asker },
      "`tool_use` ids were found without `tool_result` blocks immediately after: " +
        `${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` ` +
        "block in the next message.",
    )
  }
}
