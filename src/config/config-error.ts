/** A problem with the settings. It contains names and places, but never a value. */
export interface ConfigProblem {
  /** The settings file as the operator named it. Absent if the problem is outside the file. */
  readonly file?: string
  /** The line number, starting at 1. */
  readonly line?: number
  /** The column number, starting at 1. */
  readonly column?: number
  /** The setting (`providers.openai.api_key`), environment variable or option that is invalid. */
  readonly path: string
  /** The problem and how to solve it. */
  readonly message: string
}

const MAX_SHOWN = 100

/** The error for unusable settings. It contains all problems, but no secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`
    const lines = problems.slice(0, MAX_SHOWN).map((problem) => `  ${formatProblem(problem)}`)
    const hidden = problems.length - lines.length
    if (hidden > 0) lines.push(`  and ${hidden} more`)
    super([`The settings have ${count}:`, ...lines].join("\n"), options)
    this.problems = problems
  }
}

/** Formats a problem on one line: `tollgate.yaml:3:9: server.port: must be ...`. */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message } = problem
  const place = [file, line, column].filter((part) => part !== undefined).join(":")
  return [place, path, message].filter((part) => part !== "").join(": ")
}
