import { CommanderError } from "commander"
import { EXIT_CODES } from "./exit-codes.ts"
import { failureOf, showFailure } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Runs a command and prints its failure, if any, without a stack trace.
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
      // The help or the version was requested and has been printed.
      if (thrown.exitCode === 0) return EXIT_CODES.ok
      // The help in place of a missing command has been printed as well.
      if (thrown.code === "commander.help" && !isJson) return EXIT_CODES.usage
    }
    showFailure(thrown, terminal, isJson)
    return failureOf(thrown).exitCode
  }
}
