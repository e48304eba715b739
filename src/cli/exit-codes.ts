/** The exit codes of commands. Scripts rely on the numbers. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The settings are invalid. */
  configuration: 3,
  not_found: 4,
  /** The thing exists already. */
  conflict: 5,
  /** `doctor` found problems. */
  not_healthy: 6,
} as const

export type FailureCode = Exclude<keyof typeof EXIT_CODES, "ok">

/** A command cannot do its task. */
export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly code: FailureCode
  /** What the reader can do next. */
  readonly hint?: string

  constructor(code: FailureCode, message: string, hint?: string) {
    super(message)
    this.code = code
    if (hint !== undefined) this.hint = hint
  }
}
