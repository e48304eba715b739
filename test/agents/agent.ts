import type { Tool } from "tollgate-contract/tools.ts"

/** One step of a task: a tool of the agent, and its arguments. */
export interface Step {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A task: change `note.txt`, and run a command that copies the result. */
export interface Task {
  readonly folder: string
  /** The model that performs the task. */
  readonly model: string
  readonly before: string
  readonly after: string
  /** A shell command that writes the new text to another file. */
  readonly command: string
}

/** The gateway that an agent calls. */
export interface Target {
  /** The gateway's address. */
  readonly url: string
  readonly key: string
  /** The models of the session, one for each turn. */
  readonly models: readonly [string, ...string[]]
}

/** The folders, the gateway and the environment of an agent's session. */
export interface Workspace {
  readonly home: string
  /** The folder in which the agent works on the task. */
  readonly folder: string
  readonly target: Target
  readonly environment: Record<string, string>
}

/** A coding agent from npm. */
export interface Agent {
  /** The name of a row in the table. */
  readonly name: string
  readonly package: string
  readonly version: string
  /** The tool name with which `tollgate connect` writes the agent's settings; absent: `prepare` writes them. */
  readonly tool?: Tool
  /** The command line that performs one task. */
  readonly command: readonly string[]
  /** Set if the agent takes the task as its last argument. Otherwise, it takes the task from its standard input. */
  readonly takesArgument?: true
  readonly environment?: Readonly<Record<string, string>>
  /** Performs the steps that a user needs in addition to `tollgate connect`. */
  prepare?(workspace: Workspace): void
  /** Returns the command line that continues the session with another model. It may also change the settings. */
  goOn(workspace: Workspace, model: string): readonly string[]
  /** Ends processes that the agent leaves running. */
  finish?(workspace: Workspace): void
  /** Returns the steps that read `note.txt`, change it and run the command. */
  steps(task: Task): readonly Step[]
}

/** Returns the change of a task in the format of `apply_patch`. */
export function patchOf({ before, after }: Task): string {
  return `*** Begin Patch\n*** Update File: note.txt\n@@\n-${before}\n+${after}\n*** End Patch`
}
