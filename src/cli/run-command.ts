import { CommanderError } from "commander"
import { EXIT_CODES } from "./exit-codes.ts"
import { failureOf, showFailure } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Runs a command. If it fails, its failure is printed without a stack trace.
 * @returns the exit code.
 */
export async function runCommand(
  action: () => void | Promise<void>,
  terminal: Terminal,
  isJson: boolean,
): Promise<number> {
  try {
    await action()
    return EXIT_CODES.ok
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has printed the requested help or version.
      if (thrown.exitCode === 0) return EXIT_CODES.ok
      // Commander has printed the help, because no command was given.
      if (thrown.code === "commander.help" && !isJson) return EXIT_CODES.usage
    }
    showFailure(thrown, terminal, isJson)
    return failureOf(thrown).exitCode
  }
}
