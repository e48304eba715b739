import type { Tool } from "tollgate-contract/tools.ts"

/** One step of a task: a tool of the agent, and its arguments. */
export interface Step {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A change of `note.txt`, and a command that copies the result. */
export interface Task {
  readonly folder: string
  /** The model that works on it. */
  readonly model: string
  readonly before: string
  readonly after: string
  /** A shell command that writes the new text to another file. */
  readonly command: string
}

/** The gateway for an agent. */
export interface Target {
  /** The gateway's address. */
  readonly url: string
  readonly key: string
  /** The models of the session, one for each turn. */
  readonly models: readonly [string, ...string[]]
}

/** The folders, target and environment of an agent's session. */
export interface Workspace {
  readonly home: string
  /** The folder of the task. */
  readonly folder: string
  readonly target: Target
  readonly environment: Record<string, string>
}

/** A coding agent, as npm has it. */
export interface Agent {
  /** The name of a row in the table. */
  readonly name: string
  readonly package: string
  readonly version: string
  /** The tool of `tollgate connect` that writes its settings; absent: `prepare` does. */
  readonly tool?: Tool
  /** The command line that does one task. */
  readonly command: readonly string[]
  /** Whether it takes the task as its last argument instead of from its standard input. */
  readonly takesArgument?: true
  readonly environment?: Readonly<Record<string, string>>
  /** Performs the user's steps besides `tollgate connect`. */
  prepare?(workspace: Workspace): void
  /** The command line that continues the session with another model. It may change the settings. */
  goOn(workspace: Workspace, model: string): readonly string[]
  /** Ends processes that it leaves running. */
  finish?(workspace: Workspace): void
  /** Reads `note.txt`, changes it and runs the command. */
  steps(task: Task): readonly Step[]
}

/** The change of a task in the format of `apply_patch`. */
export function patchOf({ before, after }: Task): string {
  return `*** Begin Patch\n*** Update File: note.txt\n@@\n-${before}\n+${after}\n*** End Patch`
}
