import type { Command } from "commander"
import { Output } from "./output.ts"
import type { Terminal } from "./terminal.ts"

/** Registers one or several similar commands. */
export type RegisterCommand = (program: Command, terminal: Terminal) => void

/** Options of every command. */
export interface GlobalOptions {
  /** `--config`: the settings file. */
  readonly file?: string
  /** `--data`: the folder with the database. */
  readonly dataDirectory?: string
  readonly isJson: boolean
}

/** Returns the group of a command such as `key list`. The first of its commands creates it. */
export function commandGroup(program: Command, name: string, description: string): Command {
  const group = program.commands.find((command) => command.name() === name)
  return group ?? program.command(name).description(description)
}

/** Returns the global options, which may be anywhere in the command line. */
export function globalOptions(command: Command): GlobalOptions {
  const options: { config?: string; data?: string; json?: boolean } = command.optsWithGlobals()
  return {
    ...(options.config === undefined ? {} : { file: options.config }),
    ...(options.data === undefined ? {} : { dataDirectory: options.data }),
    isJson: options.json ?? false,
  }
}

/** Returns the output for a command's result. */
export function outputOf(command: Command, terminal: Terminal): Output {
  return new Output(terminal, globalOptions(command).isJson)
}
