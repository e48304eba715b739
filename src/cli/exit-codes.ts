/** The exit codes of commands. Scripts rely on the numbers. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The settings are invalid. */
  configuration: 3,
  not_found: 4,
  /** The object already exists. */
  conflict: 5,
  /** `doctor` found problems. */
  not_healthy: 6,
} as const

export type FailureCode = Exclude<keyof typeof EXIT_CODES, "ok">

/** The error of a command that cannot complete its task. */
export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly code: FailureCode
  /** The next step for the user. */
  readonly hint?: string

  constructor(code: FailureCode, message: string, hint?: string) {
    super(message)
    this.code = code
    if (hint !== undefined) this.hint = hint
  }
}
