/** One step of a task: a tool of the agent, and what it is called with. */
export interface Step {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What an agent calls. */
export interface Target {
  /** The gateway's address. */
  readonly url: string
  readonly key: string
  readonly model: string
}

/** Where an agent runs. */
export interface Place {
  readonly home: string
  readonly target: Target
  readonly environment: Record<string, string>
}

/** A program that people let work in a folder, as npm has it. */
export interface Agent {
  /** What a row of the table is called. */
  readonly name: string
  /** As `tollgate connect` knows it. */
  readonly tool: "claude" | "codex" | "opencode" | "gemini"
  readonly package: string
  readonly version: string
  /** The program's name and the words that make it do one task from its standard input. */
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** What its user does besides `tollgate connect`. */
  prepare?(place: Place): void
  /** Reads `note.txt`, changes "before" to "after" in it, and runs a command that writes `ran.txt`. */
  steps(folder: string): readonly Step[]
}

/** What each task runs at its end. */
export const COMMAND = "cat note.txt > ran.txt"
