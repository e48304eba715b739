import type { Command } from "commander"
import { Output } from "./output.ts"
import type { Terminal } from "./terminal.ts"

/** Adds a command to the program, or several that differ in a few words. */
export type RegisterCommand = (program: Command, terminal: Terminal) => void

/** What every command takes. */
export interface GlobalOptions {
  /** `--config`: the settings file. */
  readonly file?: string
  /** `--data`: the folder that holds the database. */
  readonly dataDirectory?: string
  readonly isJson: boolean
}

/** The group that a command such as `key list` belongs to; made by the first of its commands. */
export function commandGroup(program: Command, name: string, description: string): Command {
  const group = program.commands.find((command) => command.name() === name)
  return group ?? program.command(name).description(description)
}

/** The options that stand before, between or after the words of a command. */
export function globalOptions(command: Command): GlobalOptions {
  const options: { config?: string; data?: string; json?: boolean } = command.optsWithGlobals()
  return {
    ...(options.config === undefined ? {} : { file: options.config }),
    ...(options.data === undefined ? {} : { dataDirectory: options.data }),
    isJson: options.json ?? false,
  }
}

/** Where a command shows its result. */
export function outputOf(command: Command, terminal: Terminal): Output {
  return new Output(terminal, globalOptions(command).isJson)
}
