/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface Substituted {
  readonly text: string
  /**
   * References that cannot be resolved. If there are any, `text` is unusable. They contain names of variables, never
   * values.
   */
  readonly faults: readonly string[]
}

const REFERENCE = /\$\$\{|\$\{[^}]*\}?/g
const WELL_FORMED = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}$/

/**
 * Substitutes `${NAME}` and `${NAME:-default}` from the environment. `$${` produces `${`. As in a shell, the default
 * also replaces an empty variable. Values are not expanded again.
 */
export function substitute(text: string, environment: Environment): Substituted {
  const faults: string[] = []
  const filled = text.replace(REFERENCE, (reference) => {
    if (reference === "$${") return "${"
    const match = WELL_FORMED.exec(reference)
    if (!match) {
      faults.push(
        "holds a malformed reference. Write ${NAME} or ${NAME:-default}, or $${ for a literal ${",
      )
      return ""
    }
    const [, name = "", fallback] = match
    const value = environment[name]
    if (typeof value === "string" && (value !== "" || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    faults.push(
      `needs the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}`,
    )
    return ""
  })
  return { text: filled, faults }
}
